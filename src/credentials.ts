import {
  type Account,
  basicAuthorization,
  type CredentialOutcome,
  type ExchangeOutcome,
  type Exchanges,
  type Held,
  type IssuedName,
  type NotConnected,
} from './credentials/exchanges.ts';
import { createLockoutGuard } from './credentials/lockout-guard.ts';
import { createPeople, type Issued, type Keys, type SealedStore } from './credentials/people.ts';
import { createPersonalAccounts, type PersonalAccounts } from './credentials/personal-accounts.ts';
import { createSignIns } from './credentials/sign-ins.ts';
import type { Join, Judgement } from './domain/lockout.ts';
import type { Secret } from './domain/secret.ts';
import type { Clock } from './domain/timing.ts';

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

export type VaultOptions = {
  settings: {
    nac: Account;
    authorize?: Account | undefined;
    ticket?: Account | undefined;
    personal: { signIn: boolean; ttlHours: number; keys: Keys | undefined };
  };
  exchanges: Exchanges;
  /** Where people's sealed credentials are kept. */
  sealed: SealedStore;
  /** Joins the processes that share the account at an exchange; undefined: there is no other process. */
  join: ((name: IssuedName, username: string) => Join) | undefined;
  clock: Clock;
  warn(message: string): void;
  /** Told if kept credentials cannot be read. */
  onError(error: unknown): void;
};

/** Opens the configured credentials; personal ones only if people may connect. */
export function createVault(options: VaultOptions): Vault {
  const { settings, exchanges, sealed: store, clock, warn, onError } = options;
  const { nac, authorize, ticket } = settings;
  const { signIn, keys, ttlHours } = settings.personal;
  const { now, steady } = clock;
  const own = createServiceAccount(options);
  const ownNames = [nac, authorize, ticket].flatMap((account) => account?.username ?? []);
  const personal = createPersonalAccounts({
    exchanges,
    people: signIn && keys ? createPeople({ keys, store, now, warn, onError }) : undefined,
    signIns: createSignIns(ownNames, steady),
    ttlMs: Math.round(ttlHours * 3_600_000),
    now,
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

/** The bot's own credentials. A refused account rests, so that no bot locks it. */
function createServiceAccount({ settings, exchanges, clock, join }: VaultOptions) {
  const { now, steady } = clock;
  const startedAt = now();
  const renewals = {
    'API key': renewalOf('API key', settings.authorize),
    ticket: renewalOf('ticket', settings.ticket),
  };
  const held: Partial<Record<IssuedName, Issued>> = {};
  let basic: { password: string; credential: Secret; since: number } | undefined;

  /** Undefined: not configured. */
  function renewalOf(name: IssuedName, account: Account | undefined) {
    const { [name]: exchange } = exchanges;
    if (account === undefined || exchange === undefined) return undefined;
    const lockout = createLockoutGuard(account, steady, join?.(name, account.username));
    return () => lockout.guard(() => exchange(account), judge);
  }

  return {
    /** Returns the credential that was issued last, perhaps expired. */
    issued: (name: IssuedName) => held[name],
    async renew(name: IssuedName): Promise<CredentialOutcome> {
      delete held[name];
      const outcome = await renewals[name]?.();
      if (outcome?.kind !== 'granted') return outcome ?? { kind: 'not configured' };
      held[name] = { credential: outcome.credential, until: outcome.until, since: now() };
      return { kind: 'held', ...held[name] };
    },
    basic(): Held {
      const password = settings.nac.password.reveal();
      if (basic?.password !== password)
        basic = {
          password,
          credential: basicAuthorization(settings.nac),
          since: basic ? now() : startedAt,
        };
      return { kind: 'held', credential: basic.credential, since: basic.since, until: undefined };
    },
  };
}

function judge({ kind }: ExchangeOutcome): Judgement {
  if (kind === 'refused' || kind === 'forbidden') return 'refused';
  return kind === 'granted' || kind === 'no credential' ? 'accepted' : 'unknown';
}
