import {
  type Account,
  createExchanges,
  type ExchangeAddresses,
  type Exchanges,
  type IssuedName,
} from './credentials/exchanges.ts';
import { createPeople, type Keys, type People, type PeopleOptions } from './credentials/people.ts';
import { createPersonalAccounts, type PersonalAccounts } from './credentials/personal-accounts.ts';
import {
  type CredentialOutcome,
  createServiceAccount,
  type Held,
  type NotConnected,
  type ServiceAccountOptions,
} from './credentials/service-account.ts';
import { createSignIns } from './credentials/sign-ins.ts';
import type { Clock } from './domain/timing.ts';
import type { Upstream } from './http.ts';

/** Whose credentials: the service account's or a connected person's. */
export type Owner = { kind: 'service' } | { kind: 'person'; id: string };

/** Issues, caches, renews and hands out the three kinds of credentials. */
export type Vault = Pick<PersonalAccounts, 'connect' | 'dropRefused' | 'disconnect'> & {
  /** Returns endpoint 1's API key. A valid key costs no call; an expired key is renewed once, however many ask. */
  apiKey(owner: Owner): Promise<CredentialOutcome>;
  /** Returns endpoint 2's ticket, likewise. */
  ticket(owner: Owner): Promise<CredentialOutcome>;
  /** Returns the `Authorization` header's value for endpoint 3. Never makes a call. */
  basic(owner: Owner): Promise<Held | NotConnected>;
};

export type CredentialsOptions = {
  settings: ExchangeAddresses & {
    nac: Account;
    authorize: Account | undefined;
    ticket: Account | undefined;
    personal: { signIn: boolean; ttlHours: number; keys: Keys | undefined };
  };
  upstreams: { authorize: Upstream; ticket: Upstream };
  /** Where people's sealed credentials are kept. */
  sealed: PeopleOptions['store'];
  /** The way to other processes' refusals; undefined: there are no others. */
  join: VaultOptions['join'];
  clock: Clock;
  warn(message: string): void;
  /** Told if kept credentials cannot be read. */
  onError(error: unknown): void;
};

/** Opens the configured credentials; personal ones only if people may connect. */
export function openVault(options: CredentialsOptions): Vault {
  const { settings, upstreams, sealed: store, join, clock, warn, onError } = options;
  const { nac: basic, authorize, ticket, personal } = settings;
  const { now, steady } = clock;
  const { signIn, keys } = personal;
  return createVault({
    service: { basic, ...(authorize && { 'API key': authorize }), ...(ticket && { ticket }) },
    exchanges: createExchanges(settings, upstreams, now),
    people: signIn && keys ? createPeople({ keys, store, now, warn, onError }) : undefined,
    personalTtlMs: Math.round(personal.ttlHours * 3_600_000),
    now,
    steady,
    join,
    warn,
  });
}

export type VaultOptions = ServiceAccountOptions & {
  exchanges: Exchanges;
  /** If undefined, people cannot connect. */
  people: People | undefined;
  /** How long a person stays connected. */
  personalTtlMs: number;
  warn(message: string): void;
};

export function createVault(options: VaultOptions): Vault {
  const { service, exchanges, people, personalTtlMs: ttlMs, now, steady, warn } = options;
  const ownNames = Object.values(service).map(({ username }) => username);
  const own = createServiceAccount(options);
  const signIns = createSignIns(ownNames, steady);
  const personal = createPersonalAccounts({ exchanges, people, signIns, ttlMs, now, warn });
  const renewals = new Map<string, Promise<CredentialOutcome>>();

  /** Returns a valid credential without a call; else all callers share one renewal. */
  async function issued(name: IssuedName, owner: Owner): Promise<CredentialOutcome> {
    if (exchanges[name] === undefined) return { kind: 'not configured' };
    const held = owner.kind === 'service' ? own.issued(name) : await personal.issued(name, owner.id);
    if (held !== undefined && held.until > now()) return { kind: 'held', ...held };
    const key = `${name} ${owner.kind === 'service' ? '' : owner.id}`;
    const underWay = renewals.get(key);
    if (underWay) return underWay;
    const renewing = owner.kind === 'service' ? own.renew(name) : personal.renew(name, owner.id);
    const renewal = renewing.finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  }

  return {
    apiKey: (owner) => issued('API key', owner),
    ticket: (owner) => issued('ticket', owner),
    basic: async (owner) => (owner.kind === 'service' ? own.basic() : personal.basic(owner.id)),
    connect: personal.connect,
    dropRefused: personal.dropRefused,
    disconnect: personal.disconnect,
  };
}
