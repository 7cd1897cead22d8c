import type { Account, Exchanges, IssuedName } from './credentials/exchanges.ts';
import { createPeople, type Keys, type PeopleOptions } from './credentials/people.ts';
import { createPersonalAccounts, type PersonalAccounts } from './credentials/personal-accounts.ts';
import {
  type CredentialOutcome,
  createServiceAccount,
  type Held,
  type NotConnected,
  type ServiceAccountOptions,
} from './credentials/service-account.ts';

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

export type VaultOptions = Pick<ServiceAccountOptions, 'clock' | 'join'> & {
  settings: {
    nac: Account;
    authorize?: Account | undefined;
    ticket?: Account | undefined;
    personal: { signIn: boolean; ttlHours: number; keys: Keys | undefined };
  };
  exchanges: Exchanges;
  /** Where people's sealed credentials are kept. */
  sealed: PeopleOptions['store'];
  warn(message: string): void;
  /** Told if kept credentials cannot be read. */
  onError(error: unknown): void;
};

/** Opens the configured credentials; personal ones only if people may connect. */
export function createVault(options: VaultOptions): Vault {
  const { settings, exchanges, sealed: store, join, clock, warn, onError } = options;
  const { nac: basic, authorize, ticket } = settings;
  const { signIn, keys, ttlHours } = settings.personal;
  const { now } = clock;
  const accounts = { basic, 'API key': authorize, ticket };
  const own = createServiceAccount({ accounts, exchanges, clock, join });
  const personal = createPersonalAccounts({
    exchanges,
    people: signIn && keys ? createPeople({ keys, store, now, warn, onError }) : undefined,
    ownNames: Object.values(accounts).flatMap((account) => account?.username ?? []),
    ttlMs: Math.round(ttlHours * 3_600_000),
    clock,
    warn,
  });
  const renewals = new Map<string, Promise<CredentialOutcome>>();

  const of = (owner: Owner) => (owner.kind === 'service' ? own : personal.of(owner.id));

  /** Returns a valid credential without a call; else all callers share one renewal. */
  async function issued(name: IssuedName, owner: Owner): Promise<CredentialOutcome> {
    if (exchanges[name] === undefined) return { kind: 'not configured' };
    const held = await of(owner).issued(name);
    if (held !== undefined && held.until > now()) return { kind: 'held', ...held };
    const key = `${name} ${owner.kind === 'service' ? '' : owner.id}`;
    const underWay = renewals.get(key);
    if (underWay) return underWay;
    const renewal = of(owner)
      .renew(name)
      .finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  }

  return {
    apiKey: (owner) => issued('API key', owner),
    ticket: (owner) => issued('ticket', owner),
    basic: async (owner) => of(owner).basic(),
    connect: personal.connect,
    dropRefused: personal.dropRefused,
    disconnect: personal.disconnect,
  };
}
