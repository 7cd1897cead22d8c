import type { Logger } from 'pino';
import { createRest } from './credentials/cooldown.ts';
import type { Join } from './credentials/told-refusals.ts';
import type { Vault } from './credentials/vault.ts';
import type { MacForm } from './domain/mac-address.ts';
import type { Secret } from './domain/secret.ts';
import { tokensLike } from './domain/tokens.ts';
import type { Upstream } from './http.ts';
import { createAccounts } from './nac/accounts.ts';
import { createCatalogue } from './nac/catalogue.ts';
import { createHistory } from './nac/history.ts';
import { createLookups } from './nac/lookup.ts';
import { createSessionCall } from './nac/session-call.ts';

export type NacOptions = {
  settings: {
    /** One or two base addresses, the preferred first. */
    addresses: readonly URL[];
    password: Secret;
    macForm: MacForm;
    concurrency: number;
    ignoredTokens: readonly string[];
    /** Whether a device's last authentications are asked for. */
    history: boolean;
  };
  upstreams: { nac: Upstream; nacHistory: Upstream; nacCatalogue: Upstream };
  vault: Vault;
  /** The way to other processes' refusals of the account; undefined: there are no others. */
  join: Join | undefined;
  /** A clock that is never set back. */
  steady: () => number;
  log: Logger;
};

export type Nac = ReturnType<typeof openNac>;

/** Lookups in the configured NAC, with its circuit breaker and its limit on calls; and what can explain their answers. */
export function openNac({ settings, upstreams, vault, join, steady: now, log }: NacOptions) {
  const { addresses, password, macForm, concurrency, ignoredTokens, history } = settings;
  const { nac, nacHistory, nacCatalogue } = upstreams;
  const { call, pausedUntil, answeredBy } = createSessionCall({
    upstream: nac,
    addresses,
    macForm,
    isIgnored: tokensLike(ignoredTokens),
    now,
  });
  const rest = createRest({ password, now, join });
  const accounts = createAccounts({ vault, rest, concurrency });
  const sister = { accounts, answeredBy, now };
  const onLeft = (path: string) => () =>
    log.info({ path }, 'the NAC does not answer this call; it is left alone for an hour');
  return {
    lookUp: createLookups(call, accounts),
    /** Undefined: turned off. */
    history: history
      ? createHistory({ ...sister, upstream: nacHistory, macForm }, onLeft('AuthStatus'))
      : undefined,
    catalogue: createCatalogue({ ...sister, upstream: nacCatalogue }, onLeft('FailureReasons')),
    restsUntil: accounts.restsUntil,
    counts: accounts.counts,
    pausedUntil,
  };
}
