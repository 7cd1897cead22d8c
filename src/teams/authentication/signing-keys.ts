import { type CryptoKey, importJWK } from 'jose';
import { z } from 'zod';
import type { Upstream } from '../../http.ts';
import { isLoopback } from '../../http.ts';

/** A key that signs the channel's tokens, and the channels it may speak for; undefined if the key does not say. */
type SigningKey = { key: CryptoKey; endorsements: readonly string[] | undefined };

/** The channel's signing keys could not be fetched, so no token can be judged. */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
}

/** Returns a key by its id (`kid`); undefined if there is none. @throws KeysUnavailableError */
export type SigningKeys = (kid: string) => Promise<SigningKey | undefined>;

type Published = {
  upstream: Upstream;
  /** The address of the OpenID metadata; if undefined, the Bot Framework's own. */
  metadata: URL | undefined;
};

/** Where the Bot Framework says which keys sign its tokens (Bot Connector authentication, step 3). */
export const BOT_FRAMEWORK_METADATA = new URL(
  'https://login.botframework.com/v1/.well-known/openidconfiguration',
);

/** Keys are fetched again after a day, as the Bot Framework asks, and serve until they are five days old. */
const FRESH_MS = 24 * 3_600_000;
const SERVE_MS = 5 * FRESH_MS;

/** How soon a fetch is repeated for keys that are not fresh or for an unknown key, and while no key is known. */
const FETCH_AGAIN_MS = 30_000;
const FIRST_AGAIN_MS = 1000;

/** Shorter keys can be broken. */
const SHORTEST_KEY_BITS = 2048;

const metadataSchema = z.object({ jwks_uri: z.url() });
const keySetSchema = z.object({ keys: z.array(z.unknown()) });
const keySchema = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string(),
  endorsements: z.array(z.string()).optional(),
});

/**
 * The keys behind an OpenID metadata document, fetched when first needed and kept. A known key never waits for a fetch.
 * @param options.onFault called for each failed fetch while known keys serve on
 */
export function createSigningKeys({
  now,
  onFault,
  ...published
}: Published & { now: () => number; onFault(error: unknown): void }): SigningKeys {
  let keys: ReadonlyMap<string, SigningKey> = new Map();
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  const age = () => now() - fetchedAt;
  const serve = () => keys.size > 0 && age() < SERVE_MS;

  async function renew(): Promise<void> {
    triedAt = now();
    try {
      keys = await fetchSigningKeys(published);
      fetchedAt = now();
    } catch (error) {
      if (!serve()) throw error;
      onFault(error);
    } finally {
      fetching = undefined;
    }
  }

  function fetchOnce(): Promise<void> {
    fetching ??= renew();
    return fetching;
  }

  return async (kid) => {
    const isDue = now() - triedAt >= (serve() ? FETCH_AGAIN_MS : FIRST_AGAIN_MS);
    const known = serve() ? keys.get(kid) : undefined;
    if (known) {
      if (age() > FRESH_MS && isDue) fetchOnce().catch(onFault);
      return known;
    }
    if (fetching || isDue) await fetchOnce();
    else if (!serve()) throw new KeysUnavailableError('tried a moment ago');
    return keys.get(kid);
  };
}

/** Fetches the keys that an OpenID metadata document names, by their ids. @throws KeysUnavailableError */
export async function fetchSigningKeys({
  upstream,
  metadata = BOT_FRAMEWORK_METADATA,
}: Published): Promise<ReadonlyMap<string, SigningKey>> {
  try {
    const { jwks_uri } = metadataSchema.parse(await fetchJson(upstream, metadata));
    const { keys } = keySetSchema.parse(await fetchJson(upstream, new URL(jwks_uri)));
    const imported = await Promise.all(keys.map(importKey));
    return new Map(imported.flat());
  } catch (error) {
    if (error instanceof KeysUnavailableError) throw error;
    throw new KeysUnavailableError('unreadable', { cause: error });
  }
}

async function fetchJson(upstream: Upstream, url: URL): Promise<unknown> {
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw new TypeError('signing keys must be fetched over https');
  const outcome = await upstream.call({ method: 'GET', url });
  if (outcome.kind === 'no answer') throw new KeysUnavailableError(outcome.fault.kind);
  if (outcome.status !== 200) throw new KeysUnavailableError(`status ${outcome.status}`);
  return JSON.parse(outcome.text);
}

/** Imports a published RSA key that can be read and trusted; skips anything else. */
async function importKey(published: unknown): Promise<Array<[string, SigningKey]>> {
  const read = keySchema.safeParse(published);
  if (!read.success) return [];
  const { endorsements, ...jwk } = read.data;
  // The platform throws several kinds of errors for numbers that make no key.
  const key = (await importJWK(jwk, 'RS256').catch(() => undefined)) as CryptoKey | undefined;
  const { modulusLength = 0 } = (key?.algorithm ?? {}) as { modulusLength?: number };
  return key && modulusLength >= SHORTEST_KEY_BITS ? [[jwk.kid, { key, endorsements }]] : [];
}
