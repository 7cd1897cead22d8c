import type { Join, Judgement } from '../domain/lockout.ts';
import type { Resting } from '../domain/outcome.ts';
import { Secret } from '../domain/secret.ts';
import type { Clock } from '../domain/timing.ts';
import type { Account, ExchangeFault, ExchangeOutcome, Exchanges, IssuedName } from './exchanges.ts';
import { createLockoutGuard } from './lockout-guard.ts';
import type { Issued } from './people.ts';

/** A credential, ready for use, or why there is none. */
export type CredentialOutcome = Held | { kind: 'not configured' } | NotConnected | Resting | ExchangeFault;

/** Times are milliseconds since 1970; without `until` the credential holds as long as its account. */
export type Held = { kind: 'held'; credential: Secret; since: number; until: number | undefined };
/**
 * `refused`: the person's account was refused and forgotten a moment ago. `unknown`: people's accounts cannot be read now, so
 * the person may be connected.
 */
export type NotConnected = { kind: 'not connected'; refused?: true; unknown?: true };

export type ServiceAccountOptions = {
  /** The accounts for endpoint 3, and for each exchange that is configured. */
  accounts: { basic: Account } & Partial<Record<IssuedName, Account | undefined>>;
  exchanges: Exchanges;
  clock: Clock;
  /** Joins the processes that share the account at an exchange; undefined: there is no other process. */
  join?: ((name: IssuedName, username: string) => Join) | undefined;
};

/** The bot's own credentials. A refused account rests, so that no bot locks it. */
export function createServiceAccount({ accounts, exchanges, clock, join }: ServiceAccountOptions) {
  const { now, steady } = clock;
  const startedAt = now();
  const renewals = { 'API key': renewalOf('API key'), ticket: renewalOf('ticket') };
  const held: Partial<Record<IssuedName, Issued>> = {};
  let basic: { password: string; credential: Secret; since: number } | undefined;

  /** Undefined: not configured. */
  function renewalOf(name: IssuedName) {
    const { [name]: account } = accounts;
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
      const password = accounts.basic.password.reveal();
      if (basic?.password !== password)
        basic = {
          password,
          credential: basicAuthorization(accounts.basic),
          since: basic ? now() : startedAt,
        };
      return { kind: 'held', credential: basic.credential, since: basic.since, until: undefined };
    },
  };
}

/** The value of an `Authorization` header for HTTP Basic, in UTF-8 (RFC 7617). The user name must hold no colon. */
export function basicAuthorization({ username, password }: Account): Secret {
  return new Secret(`Basic ${Buffer.from(`${username}:${password.reveal()}`, 'utf8').toString('base64')}`);
}

function judge({ kind }: ExchangeOutcome): Judgement {
  if (kind === 'refused' || kind === 'forbidden') return 'refused';
  return kind === 'granted' || kind === 'no credential' ? 'accepted' : 'unknown';
}
