import { Secret } from '../domain/secret.ts';
import { createRest, type Rest } from './cooldown.ts';
import type { CredentialOutcome, Held } from './credential-outcome.ts';
import type { Account, Exchange, ExchangeOutcome, IssuedName } from './exchange-outcome.ts';
import type { Issued } from './people.ts';
import type { Join } from './told-refusals.ts';

/** The bot's own credentials. A refused account rests, so that no bot locks it. */
export type ServiceAccount = {
  /** Returns the credential that was issued last, perhaps expired. */
  issued(name: IssuedName): Issued | undefined;
  renew(name: IssuedName): Promise<CredentialOutcome>;
  basic(): Held;
};

export type ServiceAccountOptions = {
  /** The accounts for endpoint 3, and for each exchange that is configured. */
  service: { basic: Account } & Partial<Record<IssuedName, Account>>;
  exchanges: Partial<Record<IssuedName, Exchange>>;
  now: () => number;
  /** A clock that is never set back, for rests. */
  steady: () => number;
  /** Joins the processes that share the account at an exchange; undefined: there is no other process. */
  join?: ((name: IssuedName, username: string) => Join) | undefined;
};

export function createServiceAccount({
  service,
  exchanges,
  now,
  steady,
  join,
}: ServiceAccountOptions): ServiceAccount {
  const startedAt = now();
  const restOf = (name: IssuedName): Rest | undefined => {
    const account = service[name];
    return (
      account && createRest({ password: account.password, now: steady, join: join?.(name, account.username) })
    );
  };
  const rests = { 'API key': restOf('API key'), ticket: restOf('ticket') };
  const held: Partial<Record<IssuedName, Issued>> = {};
  let basic: { password: string; authorization: Secret; since: number } | undefined;
  return {
    issued: (name) => held[name],
    async renew(name) {
      const account = service[name];
      const exchange = exchanges[name];
      const rest = rests[name];
      if (account === undefined || exchange === undefined || rest === undefined)
        return { kind: 'not configured' };
      delete held[name];
      const outcome = await rest.guard(() => exchange(account), judge);
      if (outcome.kind !== 'granted') return outcome;
      const { credential, until } = outcome;
      const issued = { credential, until, since: now() };
      held[name] = issued;
      return { kind: 'held', ...issued };
    },
    basic() {
      const password = service.basic.password.reveal();
      if (basic?.password !== password) {
        const authorization = basicAuthorization(service.basic.username, service.basic.password);
        basic = { password, authorization, since: basic === undefined ? startedAt : now() };
      }
      return { kind: 'held', credential: basic.authorization, since: basic.since, until: undefined };
    },
  };
}

/**
 * The value of an `Authorization` header for HTTP Basic, in UTF-8 (RFC 7617).
 * @param username must hold no colon
 */
export function basicAuthorization(username: string, password: Secret): Secret {
  return new Secret(`Basic ${Buffer.from(`${username}:${password.reveal()}`, 'utf8').toString('base64')}`);
}

function judge({ kind }: ExchangeOutcome): 'accepted' | 'refused' | 'unknown' {
  if (kind === 'refused' || kind === 'forbidden') return 'refused';
  return kind === 'granted' || kind === 'no credential' ? 'accepted' : 'unknown';
}
