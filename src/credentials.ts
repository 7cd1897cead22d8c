import { randomUUID } from 'node:crypto';
import type { CredentialOutcome, Held, Issued, IssuedName } from './credentials/exchanges.ts';
import { createPersonalAccounts, type PersonalAccountsOptions } from './credentials/personal-accounts.ts';
import * as rules from './domain/lockout.ts';
import { type Account, basicAuthorization, type Secret } from './domain/secret.ts';
import { endsWithin } from './domain/timing.ts';

export type Owner = { kind: 'service' } | { kind: 'person'; id: string };

export type Vault = ReturnType<typeof createVault>;

export type VaultOptions = Omit<PersonalAccountsOptions, 'personal' | 'ownNames'> & {
  settings: Pick<PersonalAccountsOptions, 'personal'> & { nac: Account } & {
    [System in 'authorize' | 'ticket' | 'endpoints']?: Account | undefined;
  };
  /** Joins the processes that share the account at an exchange. */
  join(name: IssuedName, username: string): rules.Join;
};

/** Issues, caches, renews and hands out the three kinds of credentials; personal ones only if people may connect. */
export function createVault(options: VaultOptions) {
  const { settings, exchanges, clock } = options;
  const { nac, authorize, ticket, endpoints, personal } = settings;
  const own = createServiceAccount(options);
  const ownNames = [nac, authorize, ticket, endpoints].flatMap((account) => account?.username ?? []);
  const { ofPerson, ...actions } = createPersonalAccounts({ ...options, personal, ownNames });
  const renewals = new Map<string, Promise<CredentialOutcome>>();

  const of = (owner: Owner) => (owner.kind === 'service' ? own : ofPerson(owner.id));

  /** Returns a valid credential without a call; else all callers share one renewal. */
  async function issued(name: IssuedName, owner: Owner): Promise<CredentialOutcome> {
    if (exchanges[name] === undefined) return { kind: 'not configured' };
    const account = of(owner);
    const held = await account.issued(name);
    if (held !== undefined && held.until > clock.now()) return { kind: 'held', ...held };
    const key = `${name} ${owner.kind === 'service' ? '' : owner.id}`;
    const underWay = renewals.get(key);
    if (underWay) return underWay;
    const renewal = account.renew(name).finally(() => renewals.delete(key));
    renewals.set(key, renewal);
    return renewal;
  }

  return {
    ...actions,
    /** Endpoint 1's API key and endpoint 2's ticket. A valid one costs no call; an expired one is renewed once, however many ask. */
    apiKey: (owner: Owner) => issued('API key', owner),
    ticket: (owner: Owner) => issued('ticket', owner),
    /** Returns the `Authorization` header's value for endpoint 3. Never makes a call. */
    basic: async (owner: Owner) => of(owner).basic(),
    /** Returns the same of the bot's own account, which is always there. */
    service: () => own.basic().credential,
  };
}

function createServiceAccount({ settings, exchanges, clock, join }: VaultOptions) {
  const { nac, authorize, ticket } = settings;
  const { now, steady } = clock;
  const startedAt = now();
  const renewals = { 'API key': renewalOf('API key', authorize), ticket: renewalOf('ticket', ticket) };
  const held: Partial<Record<IssuedName, Issued>> = {};
  let basic: { password: string; credential: Secret; since: number } | undefined;

  function renewalOf(name: IssuedName, account: Account | undefined) {
    const exchange = exchanges[name];
    if (account === undefined || exchange === undefined) return undefined;
    const lockout = createLockoutGuard(account, steady, join(name, account.username));
    return () => lockout.guard(() => exchange(account), judgeExchange);
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
      if (basic?.password !== password)
        basic = { password, credential: basicAuthorization(nac), since: basic ? now() : startedAt };
      const { credential, since } = basic;
      return { kind: 'held', credential, since, until: undefined };
    },
  };
}

/** What an exchange's outcome says of the account. */
function judgeExchange({ kind }: Pick<CredentialOutcome, 'kind'>): rules.Judgement {
  if (kind === 'refused' || kind === 'forbidden') return 'refused';
  return kind === 'held' || kind === 'no credential' ? 'accepted' : 'unknown';
}

/** How long calls wait for the first one with a password (milliseconds): a refusal comes soon, a slow answer says nothing. */
const FIRST_MS = 1000;

/** After another process's refusal a password rests up to this much longer. */
const LONGER_MS = 5000;

/** Guards an account, with its password as it is now, by the rules of `domain/lockout.ts`. `now` is never set back. */
export function createLockoutGuard(
  { password }: { password: Secret },
  now: () => number,
  join: rules.Join,
): rules.LockoutGuard {
  const longerMs = Math.random() * LONGER_MS;
  /** A call that goes alone: the first with a password, and the first after a rest. */
  const alone = new Map<string, Promise<unknown>>();
  let tried: string | undefined;
  let lockout = rules.startLockout(password.reveal(), now());
  const teller = join((latest) => {
    lockout = rules.hear(present(), latest, { at: now(), longerMs });
  });

  function present(): rules.Lockout {
    lockout = rules.hold(lockout, password.reveal(), now());
    return lockout;
  }

  return {
    async guard(call, judge) {
      const attempt = async (value: string, isProbe: boolean) => {
        const known = rules.knownRefusals(lockout);
        const outcome = await call();
        const judgement = judge(outcome);
        if (judgement === 'refused') {
          const refused = rules.refuse(present(), { value, at: now(), id: randomUUID() });
          lockout = refused.lockout;
          if (refused.told) teller.tell(refused.told);
        } else if (judgement === 'accepted') {
          lockout = rules.accept(present(), { value, at: now(), isProbe, known });
          if (known.length > 0) teller.withdraw(known);
        }
        return outcome;
      };
      while (true) {
        const { value } = present().held;
        const until = rules.restsUntil(lockout, value);
        if (until === undefined && value === tried) return attempt(value, false);
        if (until !== undefined && now() < until) return { kind: 'resting', until };
        const underWay = alone.get(value);
        if (underWay === undefined) {
          const first = attempt(value, until !== undefined).finally(() => {
            alone.delete(value);
            tried = value;
          });
          const ended = first.catch(() => {}); // This caller alone sees an exception; those who wait check again.
          alone.set(value, ended);
          return first;
        }
        if (until !== undefined) await underWay;
        else if (!(await endsWithin(underWay, FIRST_MS))) return attempt(value, false);
      }
    },
    until() {
      const until = rules.restsUntil(present(), lockout.held.value) ?? 0;
      return now() < until ? until : undefined;
    },
  };
}
