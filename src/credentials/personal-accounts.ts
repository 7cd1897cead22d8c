import type { ConnectReport, CredentialOutcome, Held, NotConnected } from './credential-outcome.ts';
import type { Account, Exchange, ExchangeOutcome, IssuedName } from './exchange-outcome.ts';
import type { Connection, Issued, People } from './people.ts';
import { basicAuthorization } from './service-account.ts';
import type { SignIns } from './sign-ins.ts';

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
  signIns: SignIns;
  ttlMs: number;
  now: () => number;
  warn(message: string): void;
};

export function createPersonalAccounts(options: PersonalAccountsOptions): PersonalAccounts {
  const { exchanges, people, signIns, ttlMs, now, warn } = options;
  /** Each person's sign-in in progress; a disconnect, or another sign-in, replaces it. */
  const connecting = new Map<string, symbol>();
  /** The connections that a system refused, by person. They rest at once, even if their rows cannot be deleted. */
  const refused = new Map<string, number>();

  async function read(person: string): Promise<Connection | 'unknown' | undefined> {
    const connection = await people?.read(person);
    const isRefused = typeof connection === 'object' && connection.since === refused.get(person);
    return isRefused ? undefined : connection;
  }

  async function dropRefused(person: string, since: number): Promise<void> {
    const connection = await people?.read(person);
    if (connection === 'unknown') return void refused.set(person, since);
    if (connection?.since !== since) return;
    refused.set(person, since);
    signIns.refuse(connection.account.username);
    await people
      ?.forget(person)
      .catch(() => warn('a refused credential could not be deleted; the bot does not use it any more'));
  }

  return {
    async issued(name, person) {
      const connection = await read(person);
      return typeof connection === 'object' ? connection.issued[name] : undefined;
    },
    renew: (name, person) =>
      renew(name, person, { exchange: exchanges[name], read, people, dropRefused, now }),
    async basic(person) {
      const connection = await read(person);
      if (connection === 'unknown') return UNKNOWN;
      if (connection) return basicOf(connection);
      return refused.has(person) ? { kind: 'not connected', refused: true } : { kind: 'not connected' };
    },
    async connect(person, account) {
      const since = now();
      const until = since + ttlMs;
      const notTried = signIns.begin(person, account.username);
      if (notTried) return { kept: false, until, exchanges: [], notTried };
      const attempt = Symbol(person);
      connecting.set(person, attempt);
      const tried = await tryExchanges(exchanges, account);
      signIns.end(account.username, verdictOf(tried));
      const isCurrent = connecting.get(person) === attempt;
      if (isCurrent) connecting.delete(person);
      const isRefused = tried.length > 0 && tried.every(({ outcome }) => outcome.kind === 'refused');
      const kept = isCurrent && !isRefused && people !== undefined;
      if (kept) await people.write(person, { account, since, until, issued: issuedBy(tried, since) });
      if (kept) refused.delete(person);
      return { kept, until, exchanges: tried };
    },
    dropRefused,
    async disconnect(person) {
      connecting.delete(person);
      refused.delete(person);
      await people?.forget(person);
    },
  };
}

const UNKNOWN: NotConnected = { kind: 'not connected', unknown: true };

function basicOf({ account, since, until }: Connection): Held {
  const credential = basicAuthorization(account.username, account.password);
  return { kind: 'held', credential, since, until };
}

type RenewOptions = Pick<PersonalAccounts, 'dropRefused'> & {
  read(person: string): Promise<Connection | 'unknown' | undefined>;
  exchange: Exchange | undefined;
  people: People | undefined;
  now: () => number;
};

async function renew(
  name: IssuedName,
  person: string,
  { exchange, read, people, dropRefused, now }: RenewOptions,
): Promise<CredentialOutcome> {
  if (exchange === undefined) return { kind: 'not configured' };
  const connection = await read(person);
  if (connection === 'unknown') return UNKNOWN;
  if (connection === undefined) return { kind: 'not connected' };
  const outcome = await exchange(connection.account);
  if (outcome.kind === 'refused') await dropRefused(person, connection.since);
  if (outcome.kind !== 'granted') return outcome;
  const { credential, until } = outcome;
  const renewed = { credential, until, since: now() };
  const current = await read(person);
  if (typeof current === 'object' && current.since === connection.since) {
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

/** One refusal counts, even beside a grant: the account's lock counts it too. */
function verdictOf(tried: Tried): 'accepted' | 'refused' | 'unknown' {
  if (tried.some(({ outcome }) => outcome.kind === 'refused')) return 'refused';
  return tried.some(({ outcome }) => outcome.kind === 'granted') ? 'accepted' : 'unknown';
}

function issuedBy(tried: Tried, since: number): Partial<Record<IssuedName, Issued>> {
  const granted = tried.flatMap(({ name, outcome }) =>
    outcome.kind === 'granted'
      ? [[name, { credential: outcome.credential, since, until: outcome.until }] as const]
      : [],
  );
  return Object.fromEntries(granted);
}
