import type { Logger } from 'pino';
import type { CredentialOutcome, Exchanges, Held, Issued, IssuedName } from './credentials/exchanges.ts';
import { AccountGuard } from './credentials/lockout.ts';
import {
  type AskNac,
  type Personal,
  PersonalAccounts,
  type SealedStore,
} from './credentials/personal-accounts.ts';
import { guarded, type Judgement, type SharedRefusals } from './domain/lockout.ts';
import { type Account, basicAuthorization, type Secret } from './domain/secret.ts';
import type { Clock } from './domain/timing.ts';

export type Owner = { kind: 'service' } | { kind: 'person'; id: string };

export type Vault = ReturnType<typeof createVault>;

export type VaultParts = {
  settings: { nac: Account; personal: Personal } & {
    [System in 'authorize' | 'ticket' | 'endpoints']?: Account | undefined;
  };
  exchanges: Exchanges;
  sealed: SealedStore;
  /** The way to the processes that share the account at a system. */
  shared(system: IssuedName, username: string): SharedRefusals;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  onError(error: unknown): void;
};

/** Issues, caches, renews and hands out the three kinds of credentials; personal ones only if people may connect. */
export function createVault({ settings, exchanges, sealed, shared, clock, log, onError }: VaultParts) {
  const { nac, authorize, ticket, endpoints, personal } = settings;
  const service = createServiceAccount({ settings, exchanges, shared, clock });
  const ownNames = [nac, authorize, ticket, endpoints].flatMap((account) => account?.username ?? []);
  const people = new PersonalAccounts({ personal, ownNames, exchanges, sealed, clock, log, onError });
  const renewals = new Map<string, Promise<CredentialOutcome>>();
  const canAnyone = personal.signIn && personal.keys !== undefined;

  const of = (owner: Owner) => (owner.kind === 'service' ? service : people.ofPerson(owner.id));

  /** Returns a valid credential without a call; else all callers share one renewal. */
  async function issued(name: IssuedName, owner: Owner): Promise<CredentialOutcome> {
    if (exchanges[name] === undefined) return { kind: 'not configured' };
    const account = of(owner);
    const held = await account.issued(name);
    if (held !== undefined && held.until > clock.now()) return { kind: 'held', ...held };
    const key = `${name} ${owner.kind === 'service' ? '' : owner.id}`;
    const inFlight = renewals.get(key);
    if (inFlight) return inFlight;
    const renewal = account.renew(name).finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  }

  return {
    /** Endpoint 1's API key and endpoint 2's ticket. A valid one costs no call; an expired one is renewed once, however many ask. */
    apiKey: (owner: Owner) => issued('API key', owner),
    ticket: (owner: Owner) => issued('ticket', owner),
    /** Returns the `Authorization` header's value for endpoint 3. Never makes a call. */
    basic: async (owner: Owner) => of(owner).basic(),
    /** Returns the same of the bot's own account, which is always there. */
    service: service.basic,
    /** Whether a person can have an own account. An alert's asker is the name of its place (`alerts/...`), which no person has. */
    canConnect: (person: string) => canAnyone && !person.startsWith('alerts/'),
    connect: (person: string, account: Account, askNac: AskNac) => people.connect(person, account, askNac),
    disconnect: (person: string) => people.disconnect(person),
    dropRefused: (person: string, since: number) => people.dropRefused(person, since),
  };
}

type ServiceParts = Pick<VaultParts, 'settings' | 'exchanges' | 'shared' | 'clock'>;

function createServiceAccount({ settings, exchanges, shared, clock }: ServiceParts) {
  const { nac, authorize, ticket } = settings;
  const { now, steady } = clock;
  const startedAt = now();
  const renewals = { 'API key': renewalOf('API key', authorize), ticket: renewalOf('ticket', ticket) };
  const held: Partial<Record<IssuedName, Issued>> = {};
  let basic: { password: string; credential: Secret; since: number } | undefined;

  function renewalOf(name: IssuedName, account: Account | undefined) {
    const exchange = exchanges[name];
    if (account === undefined || exchange === undefined) return undefined;
    const lockout = new AccountGuard(account, steady, shared(name, account.username));
    return () => guarded(lockout, () => exchange(account), judgeExchange);
  }

  return {
    /** Returns the credential that was issued last, perhaps expired. */
    issued: (name: IssuedName) => held[name],
    async renew(name: IssuedName): Promise<CredentialOutcome> {
      delete held[name];
      const outcome = await renewals[name]?.();
      if (outcome?.kind === 'held') held[name] = outcome;
      return outcome ?? { kind: 'not configured' };
    },
    basic(): Held {
      const password = nac.password.reveal();
      if (basic?.password !== password) {
        const since = basic ? Math.max(now(), basic.since + 1) : startedAt; // Each password has its own.
        basic = { password, credential: basicAuthorization(nac), since };
      }
      const { credential, since } = basic;
      return { kind: 'held', credential, since, until: undefined };
    },
  };
}

function judgeExchange({ kind }: Pick<CredentialOutcome, 'kind'>): Judgement {
  if (kind === 'refused' || kind === 'forbidden') return 'refused';
  return kind === 'held' || kind === 'no credential' ? 'accepted' : 'unknown';
}
