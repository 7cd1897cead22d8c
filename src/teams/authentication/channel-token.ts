import { type CryptoKey, decodeJwt, decodeProtectedHeader, errors, importJWK, jwtVerify } from 'jose';
import { z } from 'zod';
import { unlessThrown } from '../../domain/text.ts';
import { isLoopback, type Upstream } from '../../http.ts';

/** The issuer of the channels' tokens (Bot Connector authentication, "Connector to bot"). */
const ISSUER = 'https://api.botframework.com';
const CLOCK_TOLERANCE_S = 300;

/**
 * Judges the `Authorization` header of a request from the channel: what a token says by itself. The issuer comes first, because
 * a stranger's token must cause no fetch. `findFault` tells afterwards why the token is not good for an activity.
 */
export function createTokenCheck(keys: SigningKeys, appId: string, now: () => number) {
  return async (authorization: string | undefined) => {
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return refused('no bearer token');
    try {
      if (decodeJwt(token).iss !== ISSUER) return refused('iss: not the Bot Framework');
      const { kid, alg } = unlessThrown(TypeError, () => decodeProtectedHeader(token)) ?? {};
      if (alg !== 'RS256' || typeof kid !== 'string') return refused('algorithm or key id');
      const signer = await keys(kid);
      if (signer === undefined) return refused('unknown key');
      const { payload } = await jwtVerify(token, signer.key, {
        algorithms: ['RS256'],
        issuer: ISSUER,
        audience: appId,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(now()),
        requiredClaims: ['exp'],
      });
      const findFault = (claimed: Claimed) => findClaimFault(payload.serviceurl, signer, claimed);
      return { kind: 'verified' as const, findFault };
    } catch (error) {
      if (error instanceof KeysUnavailableError) return { kind: 'keys unavailable' as const, error };
      if (error instanceof errors.JOSEError) return refused(reasonOf(error, now()));
      throw error;
    }
  };
}

/** The activity's own claims, which anyone can make up. */
type Claimed = { channelId: unknown; serviceUrl: unknown };

/** Skips a field that the activity lacks, because the request is refused for it right after. */
function findClaimFault(confirmed: unknown, { endorsements }: SigningKey, claimed: Claimed) {
  const { channelId, serviceUrl } = claimed;
  if (isText(channelId) && endorsements?.includes(channelId.trim()) === false) return 'channel not endorsed';
  if (isText(serviceUrl) && confirmed !== serviceUrl)
    return 'serviceurl: another than the service address of the message';
  return undefined;
}

const CLOCK = `${CLOCK_TOLERANCE_S} s are tolerated; is the clock of this machine right?`;

/** Names the claim that failed, and by how much. Repeats nothing of the token but its times. */
function reasonOf(error: errors.JOSEError, now: number): string {
  if (!(error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed))
    return error.code;
  const { claim, payload, reason } = error;
  const skewS = Number(payload[claim]) - Math.floor(now / 1000);
  if (reason !== 'check_failed') return `${claim}: ${reason}`;
  if (claim === 'exp') return `exp: over for ${-skewS} s, and ${CLOCK}`;
  if (claim === 'nbf') return `nbf: valid only in ${skewS} s, and ${CLOCK}`;
  return claim === 'aud' ? 'aud: meant for another bot than MicrosoftAppId' : claim;
}

const refused = (reason: string) => ({ kind: 'refused' as const, reason });

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
}

/** A key that signs the channel's tokens, and the channels it may speak for; undefined if the key does not say. */
type SigningKey = { key: CryptoKey; endorsements: readonly string[] | undefined };

type SigningKeys = ReturnType<typeof createSigningKeys>;

/** The way to an OpenID metadata document, and its address. */
type Published = { upstream: Upstream; metadata: URL };

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

/**
 * The keys behind an OpenID metadata document, fetched when first needed and kept. A known key never waits for a fetch.
 * @param onFault called for each failed fetch while known keys serve on
 */
export function createSigningKeys(source: Published, now: () => number, onFault: (error: unknown) => void) {
  let keys: ReadonlyMap<string, SigningKey> = new Map();
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  const age = () => now() - fetchedAt;
  const serve = () => keys.size > 0 && age() < SERVE_MS;

  async function renew(): Promise<void> {
    triedAt = now();
    try {
      keys = await fetchSigningKeys(source);
      fetchedAt = now();
    } catch (error) {
      if (!serve()) throw error;
      onFault(error);
    } finally {
      fetching = undefined;
    }
  }

  const fetchOnce = () => (fetching ??= renew());

  return async (kid: string): Promise<SigningKey | undefined> => {
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

const metadataSchema = z.object({ jwks_uri: z.url() });
const keySetSchema = z.object({ keys: z.array(z.unknown()) });
const keySchema = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string(),
  endorsements: z.array(z.string()).optional(),
});

/** Fetches the keys that an OpenID metadata document names, by their ids. @throws KeysUnavailableError */
export async function fetchSigningKeys({ upstream, metadata }: Published) {
  try {
    const { jwks_uri } = metadataSchema.parse(await fetchJson(upstream, metadata));
    const { keys } = keySetSchema.parse(await fetchJson(upstream, new URL(jwks_uri)));
    return new Map((await Promise.all(keys.map(importKey))).flat());
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
  const { data } = keySchema.safeParse(published);
  if (!data) return [];
  const { endorsements, ...jwk } = data;
  // The platform throws several kinds of errors for numbers that make no key.
  const key = (await importJWK(jwk, 'RS256').catch(() => undefined)) as CryptoKey | undefined;
  const { modulusLength = 0 } = (key?.algorithm ?? {}) as { modulusLength?: number };
  return key && modulusLength >= SHORTEST_KEY_BITS ? [[jwk.kid, { key, endorsements }]] : [];
}
