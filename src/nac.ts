import type { Logger } from 'pino';
import type { Judgement } from './domain/lockout.ts';
import type { MacForm } from './domain/mac-address.ts';
import type { Lookup, LookupOutcome, Paused, SessionOutcome, Whose } from './domain/outcome.ts';
import { tokensLike } from './domain/tokens.ts';
import type { Upstream } from './http.ts';
import { type Accounts, type AccountsOptions, createAccounts } from './nac/accounts.ts';
import { createHistory } from './nac/history.ts';
import { createSessionCall, type SessionCall } from './nac/session-call.ts';

export type NacOptions = Pick<AccountsOptions, 'vault' | 'lockout'> & {
  settings: {
    /** One or two base addresses, the preferred first. */
    addresses: readonly URL[];
    macForm: MacForm;
    concurrency: number;
    ignoredTokens: readonly string[];
    /** Whether a device's last authentications are asked for. */
    history: boolean;
  };
  upstreams: { nac: Upstream; nacHistory: Upstream };
  /** A clock that is never set back. */
  steady: () => number;
  log: Logger;
};

/** Lookups in the configured NAC, with its circuit breaker and its limit on calls; and what can explain their answers. */
export function openNac({ settings, upstreams, vault, lockout, steady: now, log }: NacOptions) {
  const { addresses, macForm, concurrency, ignoredTokens, history } = settings;
  const { nac: upstream, nacHistory } = upstreams;
  const isIgnored = tokensLike(ignoredTokens);
  const session = createSessionCall({ upstream, addresses, macForm, isIgnored, now });
  const { call, answeredBy, pausedUntil } = session;
  const accounts = createAccounts({ vault, lockout, concurrency });
  const onOff = () =>
    log.info({ path: 'AuthStatus' }, 'the NAC does not answer this call; it is left alone for an hour');
  return {
    lookUp: createLookups(call, accounts),
    /** Undefined: turned off. */
    history: history
      ? createHistory({ upstream: nacHistory, macForm, accounts, answeredBy, now, onOff })
      : undefined,
    restsUntil: accounts.restsUntil,
    counts: accounts.counts,
    pausedUntil,
  };
}

/** Looks devices up: the session call, under the account of who asks. */
export function createLookups(
  session: SessionCall,
  { ask, restsUntil }: Pick<Accounts, 'ask' | 'restsUntil'>,
): Lookup {
  return async (address, person) => {
    const asked = await ask<SessionOutcome | Paused>({
      key: address,
      person,
      call: (authorization) => session(address, authorization, person),
      judge,
    });
    if (asked.kind === 'forgotten') return { kind: 'refused', whose: 'person' };
    return asked.kind === 'asked' ? outcomeFor(asked.whose, asked.outcome, restsUntil) : asked;
  };
}

function outcomeFor(
  whose: Whose,
  outcome: SessionOutcome | Paused,
  restsUntil: Accounts['restsUntil'],
): LookupOutcome {
  switch (outcome.kind) {
    case 'found':
    case 'no session':
    case 'fault':
    case 'unusable':
      return whose === 'service' ? outcome : { ...outcome, account: whose };
    case 'forbidden':
      return { kind: 'forbidden', whose: whose === 'person' ? whose : 'service' };
    case 'refused':
      return whose === 'person'
        ? { kind: 'refused', whose }
        : { kind: 'refused', whose: 'service', restsUntil: restsUntil() };
    case 'no answer':
    case 'paused':
      return outcome;
  }
}

function judge({ kind }: SessionOutcome | Paused): Judgement {
  if (kind === 'refused') return 'refused';
  return kind === 'found' || kind === 'no session' || kind === 'forbidden' ? 'accepted' : 'unknown';
}
