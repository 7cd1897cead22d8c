import type { Identity } from './authentication/app-tokens.ts';
import type { CheckToken } from './authentication/channel-token.ts';
import { createSigningKeys } from './authentication/signing-keys.ts';
import type { Upstream } from './http.ts';

/** The check of the channel's tokens; only a bot with an identity has it, and jose with it, read into memory. */
export async function openTokenCheck(identity: Identity, upstream: Upstream): Promise<CheckToken> {
  const { createChannelTokenCheck } = await import('./authentication/channel-token.ts');
  const keys = createSigningKeys({ upstream, metadata: identity.openIdMetadata, now: Date.now });
  return createChannelTokenCheck({ keys, appId: identity.appId });
}
