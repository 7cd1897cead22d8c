import type { CredentialOutcome, Exchanges, Issued, IssuedName } from './credentials/exchanges.ts';
import { type AskNac, PersonalAccounts, type PersonalParts } from './credentials/personal-accounts.ts';
import { guarded, type LockoutGuard } from './domain/lockout.ts';
import { type Account, basicAuthorization, type Held, NOT_CONNECTED } from './domain/secret.ts';
import type { Clock } from './domain/timing.ts';

export type Vault = ReturnType<typeof createVault>;

export type VaultParts = ServiceParts &
  Pick<PersonalParts, 'sealed' | 'log' | 'onError'> & { settings: Pick<PersonalParts, 'personal'> };

type ServiceParts = {
  settings: { nac: Account } & { [System in 'authorize' | 'ticket' | 'endpoints']?: Account | undefined };
  exchanges: Exchanges;
  /** Makes the guard of the account at a system. */
  guardOf(system: IssuedName, account: Account): LockoutGuard;
  clock: Clock;
};

/**
 * Issues, caches, renews and hands out the three kinds of credentials; personal ones only if people may connect.
 * `person`: undefined for the bot's own account.
 */
export function createVault({ settings, exchanges, sealed, guardOf, clock, log, onError }: VaultParts) {
  const { nac, authorize, ticket, endpoints, personal } = settings;
  const service = createServiceAccount({ settings, exchanges, guardOf, clock });
  const ownNames = [nac, authorize, ticket, endpoints].flatMap((account) => account?.username ?? []);
  const people = new PersonalAccounts({ personal, ownNames, exchanges, sealed, clock, log, onError });
  const renewals = new Map<string, Promise<CredentialOutcome>>();
  const canAnyone = personal.signIn && personal.keys !== undefined;

  async function issued(name: IssuedName, person: string | undefined): Promise<CredentialOutcome> {
    if (exchanges[name] === undefined) return { kind: 'not configured' };
    const held = person === undefined ? service.issued(name) : await people.issued(name, person);
    const now = clock.now(); // May have been set back since.
    if (held && held.since <= now && now < held.until) return { kind: 'held', ...held };
    const key = `${name} ${person ?? ''}`;
    const inFlight = renewals.get(key);
    if (inFlight) return inFlight;
    const renewing = person === undefined ? service.renew(name) : people.renew(name, person);
    const renewal = renewing.finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  }

  return {
    /** The API key or the ticket. A valid one costs no call; an expired one is renewed once, however many ask. */
    issued,
    /**
     * Returns the `Authorization` header's value of a person's account. Reads no database where nobody can connect, or for the
     * askers of alerts and watches (`alerts/...`, `watch/`), whose names no person has.
     */
    basic: async (person: string) =>
      canAnyone && !/^(?:alerts|watch)\//.test(person) ? people.basic(person) : NOT_CONNECTED,
    service: service.basic,
    connect: (person: string, account: Account, askNac: AskNac) => people.connect(person, account, askNac),
    disconnect: (person: string) => people.disconnect(person),
    dropRefused: (person: string, since: number) => people.dropRefused(person, since),
  };
}

function createServiceAccount({ settings, exchanges, guardOf, clock }: ServiceParts) {
  const { nac } = settings;
  const { now } = clock;
  const renewals = {
    'API key': renewalOf('API key', settings.authorize),
    ticket: renewalOf('ticket', settings.ticket),
  };
  const held: Partial<Record<IssuedName, Issued>> = {};
  let password = nac.password.reveal();
  let basic: Held = { kind: 'held', credential: basicAuthorization(nac), since: now(), until: undefined };

  function renewalOf(name: IssuedName, account: Account | undefined) {
    const exchange = exchanges[name];
    if (account === undefined || exchange === undefined) return undefined;
    const guard = guardOf(name, account);
    return () => guarded(guard, () => exchange(account));
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
      if (password === nac.password.reveal()) return basic;
      password = nac.password.reveal();
      const since = Math.max(now(), basic.since + 1); // Each password has its own.
      basic = { ...basic, credential: basicAuthorization(nac), since };
      return basic;
    },
  };
}
