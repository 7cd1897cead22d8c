import { Secret } from '../text/secret.ts';
import { createRest, type Resting } from './cooldown.ts';
import type { Account, Exchange, ExchangeFault, ExchangeOutcome, IssuedName } from './exchange-outcome.ts';
import type { Issued, People } from './people.ts';

/** Whose credentials: the service account's, or those that a person connected with. */
export type Owner = { kind: 'service' } | { kind: 'person'; id: string };

/** A credential, ready for use, or why there is none. */
export type CredentialOutcome = Held | { kind: 'not configured' } | NotConnected | Resting | ExchangeFault;

/** Times are milliseconds since 1970; without `until` it holds for as long as the account does. */
export type Held = { kind: 'held'; credential: Secret; since: number; until: number | undefined };
export type NotConnected = { kind: 'not connected' };

/** Issues, caches, renews and hands out the three kinds of credentials. */
export type Vault = {
  /** Endpoint 1's API key. A valid one is returned without a call; an expired one is renewed once, however many ask. */
  apiKey(owner: Owner): Promise<CredentialOutcome>;
  /** Endpoint 2's ticket, likewise. */
  ticket(owner: Owner): Promise<CredentialOutcome>;
  /** The `Authorization` header's value for endpoint 3. Never makes a call. */
  basic(owner: Owner): Promise<Held | NotConnected>;
  /** Takes a person's account, tries each exchange once, and keeps the account unless all of them refused it. */
  connect(person: string, account: Account): Promise<ConnectReport>;
  /** Forgets a person's account that was refused, unless the person has connected anew since. */
  dropRefused(person: string, since: number): Promise<void>;
  /** Forgets all that a person connected with, in the store too. */
  disconnect(person: string): Promise<void>;
};

export type ConnectReport = {
  kept: boolean;
  until: number;
  exchanges: ReadonlyArray<{ name: IssuedName; outcome: ExchangeOutcome }>;
};

export type VaultOptions = {
  /** Of endpoint 3, and of each exchange that is configured. */
  service: { basic: Account } & Partial<Record<IssuedName, Account>>;
  exchanges: Partial<Record<IssuedName, Exchange>>;
  /** Undefined: people cannot connect. */
  people: People | undefined;
  /** How long a person stays connected. */
  personalTtlMs: number;
  now: () => number;
};

export function createVault({ service, exchanges, people, personalTtlMs, now }: VaultOptions): Vault {
  const startedAt = now();
  const rests = { 'API key': createRest(now), ticket: createRest(now) };
  const serviceIssued: Partial<Record<IssuedName, Issued>> = {};
  const renewals = new Map<string, Promise<CredentialOutcome>>();
  /** The sign-in of each person that is under way; a disconnect, or another sign-in, takes its place. */
  const connecting = new Map<string, symbol>();
  let basic: { password: string; authorization: Secret; since: number } | undefined;

  async function issued(name: IssuedName, owner: Owner): Promise<CredentialOutcome> {
    const exchange = exchanges[name];
    if (exchange === undefined) return { kind: 'not configured' };
    const held =
      owner.kind === 'service' ? serviceIssued[name] : (await people?.read(owner.id))?.issued[name];
    if (held !== undefined && held.until > now()) return { kind: 'held', ...held };
    return once(`${name} ${owner.kind === 'service' ? '' : owner.id}`, () =>
      owner.kind === 'service' ? renewForService(name, exchange) : renewForPerson(name, exchange, owner.id),
    );
  }

  /** One renewal for all that ask while it is under way. */
  function once(key: string, renew: () => Promise<CredentialOutcome>): Promise<CredentialOutcome> {
    const underWay = renewals.get(key);
    if (underWay) return underWay;
    const renewal = renew().finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  }

  async function renewForService(name: IssuedName, exchange: Exchange): Promise<CredentialOutcome> {
    const account = service[name];
    if (account === undefined) return { kind: 'not configured' };
    delete serviceIssued[name];
    const outcome = await rests[name].guard(account.password, () => exchange(account), judge);
    if (outcome.kind !== 'granted') return outcome;
    const { credential, until } = outcome;
    serviceIssued[name] = { credential, until, since: now() };
    return { kind: 'held', credential, until, since: now() };
  }

  async function renewForPerson(
    name: IssuedName,
    exchange: Exchange,
    person: string,
  ): Promise<CredentialOutcome> {
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

  async function dropRefused(person: string, since: number): Promise<void> {
    if ((await people?.read(person))?.since === since) await people?.forget(person);
  }

  return {
    apiKey: (owner) => issued('API key', owner),
    ticket: (owner) => issued('ticket', owner),

    async basic(owner) {
      if (owner.kind === 'person') {
        const connection = await people?.read(owner.id);
        if (connection === undefined) return { kind: 'not connected' };
        const { account, since, until } = connection;
        return {
          kind: 'held',
          credential: basicAuthorization(account.username, account.password),
          since,
          until,
        };
      }
      const password = service.basic.password.reveal();
      if (basic?.password !== password) {
        const authorization = basicAuthorization(service.basic.username, service.basic.password);
        basic = { password, authorization, since: basic === undefined ? startedAt : now() };
      }
      return { kind: 'held', credential: basic.authorization, since: basic.since, until: undefined };
    },

    async connect(person, account) {
      const attempt = Symbol(person);
      connecting.set(person, attempt);
      const since = now();
      const until = since + personalTtlMs;
      const reports = await Promise.all(
        (['API key', 'ticket'] as const).map(async (name) => {
          const outcome = await exchanges[name]?.(account);
          return outcome === undefined ? [] : [{ name, outcome }];
        }),
      );
      const tried = reports.flat();
      const isCurrent = connecting.get(person) === attempt;
      if (isCurrent) connecting.delete(person);
      const kept =
        isCurrent && (tried.length === 0 || tried.some(({ outcome }) => outcome.kind !== 'refused'));
      if (!kept || people === undefined) return { kept: false, until, exchanges: tried };
      const granted = tried.flatMap(({ name, outcome }) =>
        outcome.kind === 'granted'
          ? [[name, { credential: outcome.credential, since, until: outcome.until }] as const]
          : [],
      );
      await people.write(person, { account, since, until, issued: Object.fromEntries(granted) });
      return { kept, until, exchanges: tried };
    },

    dropRefused,

    async disconnect(person) {
      connecting.delete(person);
      await people?.forget(person);
    },
  };
}

function judge({ kind }: ExchangeOutcome): 'accepted' | 'refused' | 'unknown' {
  if (kind === 'refused' || kind === 'forbidden') return 'refused';
  return kind === 'granted' || kind === 'no credential' ? 'accepted' : 'unknown';
}

/**
 * The value of an `Authorization` header for HTTP Basic, in UTF-8 (RFC 7617). The caller keeps the value.
 * @param username must hold no colon
 */
export function basicAuthorization(username: string, password: Secret): Secret {
  return new Secret(`Basic ${Buffer.from(`${username}:${password.reveal()}`, 'utf8').toString('base64')}`);
}
