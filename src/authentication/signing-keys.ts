import { type CryptoKey, importJWK } from 'jose';
import { z } from 'zod';
import type { Upstream } from '../http.ts';
import { isLoopback } from '../loopback.ts';

/** A key that signs the channel's tokens, and the channels it may speak for; undefined where the key does not say. */
export type SigningKey = { key: CryptoKey; endorsements: readonly string[] | undefined };

/** The channel's signing keys could not be fetched, so that no token can be judged. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
}

/** Gives a key by its id (`kid`), undefined where there is none. @throws KeysUnavailableError */
export type SigningKeys = (kid: string) => Promise<SigningKey | undefined>;

export type SigningKeysOptions = {
  upstream: Upstream;
  /** The address of the OpenID metadata, where it is not the Bot Framework's own. */
  metadata: URL | undefined;
  now: () => number;
};

/** Where the Bot Framework says which keys sign its tokens (Bot Connector authentication, step 3). */
const BOT_FRAMEWORK_METADATA = new URL('https://login.botframework.com/v1/.well-known/openidconfiguration');

/** Keys are fetched anew after a day, as the Bot Framework asks, and when an unknown one is named, though not more often. */
const FRESH_MS = 24 * 3_600_000;
const FETCH_AGAIN_MS = 30_000;

const metadataSchema = z.object({ jwks_uri: z.url() });
const keySetSchema = z.object({
  keys: z.array(z.looseObject({ kid: z.string(), endorsements: z.array(z.string()).optional() })),
});

/** The keys behind an OpenID metadata document, fetched when first needed and kept. */
export function createSigningKeys({
  upstream,
  metadata = BOT_FRAMEWORK_METADATA,
  now,
}: SigningKeysOptions): SigningKeys {
  let keys: ReadonlyMap<string, SigningKey> = new Map();
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  async function fetchKeys(): Promise<void> {
    triedAt = now();
    const { jwks_uri } = metadataSchema.parse(await fetchJson(metadata));
    const { keys: set } = keySetSchema.parse(await fetchJson(new URL(jwks_uri)));
    const imported = await Promise.all(set.map(importKey));
    keys = new Map(imported.flat());
    fetchedAt = now();
  }

  async function fetchJson(url: URL): Promise<unknown> {
    if (url.protocol !== 'https:' && !isLoopback(url.hostname))
      throw new TypeError('the keys are not behind https');
    const outcome = await upstream.call({ method: 'GET', url });
    if (outcome.kind !== 'answered' || outcome.status !== 200)
      throw new KeysUnavailableError(outcome.kind === 'answered' ? `status ${outcome.status}` : outcome.kind);
    return JSON.parse(outcome.text);
  }

  async function refresh(): Promise<void> {
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined;
    });
    try {
      await fetching;
    } catch (error) {
      if (keys.size > 0) return; // What is known goes on to serve.
      throw error instanceof KeysUnavailableError
        ? error
        : new KeysUnavailableError('unreadable', { cause: error });
    }
  }

  return async (kid) => {
    const isOld = now() - fetchedAt > FRESH_MS || !keys.has(kid);
    if (fetching || (isOld && (keys.size === 0 || now() - triedAt > FETCH_AGAIN_MS))) await refresh();
    return keys.get(kid);
  };
}

/** Keys of another kind than RSA sign no tokens of the channel's, and are passed over. */
async function importKey({ endorsements, ...jwk }: z.infer<typeof keySetSchema>['keys'][number]) {
  if (jwk.kty !== 'RSA') return [];
  const key = await importJWK(jwk, 'RS256');
  return key instanceof Uint8Array ? [] : [[jwk.kid, { key, endorsements }] as const];
}
