import type { CredentialOutcome, Held, NotConnected } from './credential-outcome.ts';
import type { IssuedName } from './exchange-outcome.ts';
import type { People } from './people.ts';
import { createPersonalAccounts, type PersonalAccounts } from './personal-accounts.ts';
import { createServiceAccount, type ServiceAccountOptions } from './service-account.ts';
import { createSignIns } from './sign-ins.ts';

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

export type VaultOptions = ServiceAccountOptions & {
  /** If undefined, people cannot connect. */
  people: People | undefined;
  /** How long a person stays connected. */
  personalTtlMs: number;
  warn(message: string): void;
};

export function createVault({
  service,
  exchanges,
  people,
  personalTtlMs,
  now,
  steady,
  join,
  warn,
}: VaultOptions): Vault {
  const ownNames = [service.basic, service['API key'], service.ticket].flatMap(
    (each) => each?.username ?? [],
  );
  const own = createServiceAccount({ service, exchanges, now, steady, join });
  const personal = createPersonalAccounts({
    exchanges,
    people,
    signIns: createSignIns(ownNames, steady),
    ttlMs: personalTtlMs,
    now,
    warn,
  });
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
