import type { Logger } from 'pino';
import type { MacForm } from './domain/mac-address.ts';
import { tokensLike } from './domain/tokens.ts';
import type { Upstream } from './http.ts';
import { type AccountsOptions, createAccounts } from './nac/accounts.ts';
import { createHistory } from './nac/history.ts';
import { createLookups } from './nac/lookup.ts';
import { createSessionCall } from './nac/session-call.ts';

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
  const { call, pausedUntil, answeredBy } = createSessionCall({
    upstream,
    addresses,
    macForm,
    isIgnored,
    now,
  });
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
