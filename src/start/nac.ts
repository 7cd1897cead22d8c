import type { Vault } from '../credentials/vault.ts';
import type { Upstream } from '../http.ts';
import { createLookups } from '../nac/lookup.ts';
import { createSessionCall } from '../nac/session-call.ts';
import { tokensLike } from '../nac/tokens.ts';
import type { Settings } from '../settings.ts';
import { steadyNow } from '../time/steady.ts';

export type Nac = ReturnType<typeof openNac>;

/** Lookups in the configured NAC, with its circuit breaker and its limit on calls. */
export function openNac(
  { addresses, macForm, concurrency, ignoredTokens }: Settings['nac'],
  upstream: Upstream,
  vault: Vault,
) {
  const { call, pausedUntil } = createSessionCall({
    upstream,
    addresses,
    macForm,
    isIgnored: tokensLike(ignoredTokens),
    now: steadyNow,
  });
  return { ...createLookups({ call, vault, concurrency, now: steadyNow }), pausedUntil };
}
