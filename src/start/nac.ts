import type { Logger } from 'pino';
import { createRest } from '../credentials/cooldown.ts';
import type { Vault } from '../credentials/vault.ts';
import { createAccounts } from '../nac/accounts.ts';
import { createCatalogue } from '../nac/catalogue.ts';
import { createHistory } from '../nac/history.ts';
import { createLookups } from '../nac/lookup.ts';
import { createSessionCall } from '../nac/session-call.ts';
import { tokensLike } from '../nac/tokens.ts';
import type { Settings } from '../settings.ts';
import type { Refusals } from '../store/refusals.ts';
import { steadyNow } from '../time/steady.ts';
import type { Upstreams } from './upstreams.ts';

export type Nac = ReturnType<typeof openNac>;

/** Lookups in the configured NAC, with its circuit breaker and its limit on calls; and what can explain their answers. */
export function openNac(
  { addresses, username, password, macForm, concurrency, ignoredTokens, history }: Settings['nac'],
  { nac, nacHistory, nacCatalogue }: Upstreams,
  vault: Vault,
  refusals: Refusals | undefined,
  log: Logger,
) {
  const now = steadyNow;
  const { call, pausedUntil, answeredBy } = createSessionCall({
    upstream: nac,
    addresses,
    macForm,
    isIgnored: tokensLike(ignoredTokens),
    now,
  });
  const rest = createRest({ password, now, join: refusals?.of('NAC', username) });
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
