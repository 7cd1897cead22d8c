import type { ConnectReport, CredentialOutcome, Held, NotConnected } from './credential-outcome.ts';
import type { Account, Exchange, ExchangeOutcome, IssuedName } from './exchange-outcome.ts';
import type { Issued, People } from './people.ts';
import { basicAuthorization } from './service-account.ts';

/** The credentials of people who connected with their own accounts. */
export type PersonalAccounts = {
  /** Tries each exchange once with a person's account, and keeps the account unless all exchanges refused it. */
  connect(person: string, account: Account): Promise<ConnectReport>;
  /** Forgets a person's refused account, unless the person has connected again since. */
  dropRefused(person: string, since: number): Promise<void>;
  /** Forgets all that a person connected with, in the store too. */
  disconnect(person: string): Promise<void>;
  /** Returns the credential that was issued to a person last, perhaps expired. */
  issued(name: IssuedName, person: string): Promise<Issued | undefined>;
  renew(name: IssuedName, person: string): Promise<CredentialOutcome>;
  basic(person: string): Promise<Held | NotConnected>;
};

export type PersonalAccountsOptions = {
  exchanges: Partial<Record<IssuedName, Exchange>>;
  people: People | undefined;
  ttlMs: number;
  now: () => number;
};

export function createPersonalAccounts({
  exchanges,
  people,
  ttlMs,
  now,
}: PersonalAccountsOptions): PersonalAccounts {
  /** Each person's sign-in in progress; a disconnect, or another sign-in, replaces it. */
  const connecting = new Map<string, symbol>();

  async function dropRefused(person: string, since: number): Promise<void> {
    if ((await people?.read(person))?.since === since) await people?.forget(person);
  }

  return {
    issued: async (name, person) => (await people?.read(person))?.issued[name],
    renew: (name, person) => renew(name, person, { exchange: exchanges[name], people, dropRefused, now }),
    async basic(person) {
      const connection = await people?.read(person);
      if (connection === undefined) return { kind: 'not connected' };
      const { account, since, until } = connection;
      const credential = basicAuthorization(account.username, account.password);
      return { kind: 'held', credential, since, until };
    },
    async connect(person, account) {
      const attempt = Symbol(person);
      connecting.set(person, attempt);
      const since = now();
      const tried = await tryExchanges(exchanges, account);
      const isCurrent = connecting.get(person) === attempt;
      if (isCurrent) connecting.delete(person);
      const isRefused = tried.length > 0 && tried.every(({ outcome }) => outcome.kind === 'refused');
      const kept = isCurrent && !isRefused && people !== undefined;
      const until = since + ttlMs;
      if (kept) await people.write(person, { account, since, until, issued: issuedBy(tried, since) });
      return { kept, until, exchanges: tried };
    },
    dropRefused,
    async disconnect(person) {
      connecting.delete(person);
      await people?.forget(person);
    },
  };
}

type RenewOptions = Pick<PersonalAccounts, 'dropRefused'> & {
  exchange: Exchange | undefined;
  people: People | undefined;
  now: () => number;
};

async function renew(
  name: IssuedName,
  person: string,
  { exchange, people, dropRefused, now }: RenewOptions,
): Promise<CredentialOutcome> {
  if (exchange === undefined) return { kind: 'not configured' };
  const connection = await people?.read(person);
  if (connection === undefined) return { kind: 'not connected' };
  const outcome = await exchange(connection.account);
  if (outcome.kind === 'refused') await dropRefused(person, connection.since);
  if (outcome.kind !== 'granted') return outcome;
  const { credential, until } = outcome;
  const renewed = { credential, until, since: now() };
  const current = await people?.read(person);
  if (current?.since === connection.since) {
    await people?.write(person, { ...current, issued: { ...current.issued, [name]: renewed } });
  }
  return { kind: 'held', ...renewed };
}

type Tried = ConnectReport['exchanges'];

async function tryExchanges(
  exchanges: Partial<Record<IssuedName, Exchange>>,
  account: Account,
): Promise<Tried> {
  const tried = await Promise.all(
    (['API key', 'ticket'] as const).map(async (name) => {
      const outcome: ExchangeOutcome | undefined = await exchanges[name]?.(account);
      return outcome === undefined ? [] : [{ name, outcome }];
    }),
  );
  return tried.flat();
}

function issuedBy(tried: Tried, since: number): Partial<Record<IssuedName, Issued>> {
  const granted = tried.flatMap(({ name, outcome }) =>
    outcome.kind === 'granted'
      ? [[name, { credential: outcome.credential, since, until: outcome.until }] as const]
      : [],
  );
  return Object.fromEntries(granted);
}
