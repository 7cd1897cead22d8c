import { type CryptoKey, decodeJwt, decodeProtectedHeader, errors, importJWK, jwtVerify } from 'jose';
import { z } from 'zod';
import type { PartFault } from '../../domain/part.ts';
import { parseJson, unlessThrown } from '../../domain/text.ts';
import { isLoopback, type Upstream } from '../../http.ts';

/** The issuer of the channels' tokens (Bot Connector authentication, "Connector to bot"). */
const ISSUER = 'https://api.botframework.com';
export const CLOCK_TOLERANCE_S = 300;

/**
 * Verifies the token in the `Authorization` header of a request from the channel. The issuer comes first, because a forged
 * token must cause no fetch. `findFault` then compares the token's claims with an activity's. All reasons are for the log.
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
      if (signer === 'unavailable') return refused('no signing keys', 503);
      if (signer === undefined) return refused('unknown key');
      const { payload } = await jwtVerify(token, signer.key, {
        algorithms: ['RS256'],
        issuer: ISSUER,
        audience: appId,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(now()),
        requiredClaims: ['exp'],
      });
      return { kind: 'verified' as const, findFault: checkClaims(payload.serviceurl, signer) };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      return refused(reasonText(error, now()));
    }
  };
}

const refused = (reason: string, status = 401) => ({ kind: 'refused' as const, status, reason });

/** Skips a field that the activity lacks, because the request is refused for it right after. */
const checkClaims =
  (signed: unknown, { endorsements }: SigningKey) =>
  ({ channelId, serviceUrl }: Record<'channelId' | 'serviceUrl', unknown>) => {
    if (isText(channelId) && endorsements?.includes(channelId.trim()) === false)
      return 'channel not endorsed';
    if (isText(serviceUrl) && signed !== serviceUrl)
      return 'serviceurl: another than the service address of the message';
    return undefined;
  };

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** Names the claim that failed, and by how much. Repeats nothing of the token but its times. */
function reasonText(error: errors.JOSEError, now: number): string {
  if (!(error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed))
    return error.code;
  const { claim, payload, reason } = error;
  const skewS = Number(payload[claim]) - Math.floor(now / 1000);
  if (reason !== 'check_failed') return `${claim}: ${reason}`;
  if (claim === 'exp' || claim === 'nbf')
    return `${claim}: ${Math.abs(skewS)} s off, and ${CLOCK_TOLERANCE_S} s are tolerated; is the clock of this machine right?`;
  return claim === 'aud' ? 'aud: meant for another bot than MicrosoftAppId' : claim;
}

/** A key that signs the channel's tokens. `endorsements`: the channels that it may sign for; undefined: any. */
type SigningKey = { key: CryptoKey; endorsements: readonly string[] | undefined };

type SigningKeys = ReturnType<typeof createSigningKeys>;

/** An OpenID metadata document, and the client that fetches it. */
type Source = { upstream: Upstream; metadata: URL };

type OnFetch = (fault?: PartFault) => void;

/** The Bot Framework asks its bots to fetch the keys again after a day. */
const FRESH_MS = 24 * 3_600_000;
const MAX_AGE_MS = 5 * FRESH_MS;
const RETRY_MS = 30_000;
const RETRY_WITHOUT_KEYS_MS = 1000;
/** Continues a sentence. */
export const CURE = 'check the way out (HTTPS_PROXY), the firewall, and BotOpenIdMetadata if it is set';

/**
 * Caches the signing keys, which are fetched when one is first needed. A set older than a day is fetched again while it serves
 * on; the last good set serves for five days. A failed fetch is repeated after 30 s; an unknown key id causes one at most once
 * in 30 s.
 * @param steady a clock that is never set back (milliseconds)
 * @param onFetch called after each fetch with its fault; undefined: the keys are fetched
 * @returns finds a key by its id; undefined if none is published, `unavailable` if no set serves
 */
export function createSigningKeys(source: Source, steady: () => number, onFetch: OnFetch) {
  let keys: ReadonlyMap<string, SigningKey> = new Map();
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;
  let again: NodeJS.Timeout | undefined;

  const isServing = () => steady() - fetchedAt < MAX_AGE_MS;

  async function renew(): Promise<void> {
    triedAt = steady();
    clearTimeout(again);
    const found = await fetchSigningKeys(source);
    fetching = undefined;
    if (typeof found !== 'string' && (found.size > 0 || !isServing())) {
      keys = found;
      fetchedAt = steady();
      return onFetch();
    }
    again = setTimeout(fetchOnce, RETRY_MS).unref();
    const why = typeof found === 'string' ? found : 'no key that can be used';
    const harm = isServing() ? 'the last ones serve for five days' : 'nobody is answered';
    onFetch({ why, cure: `${harm}; ${CURE}` });
  }
  const fetchOnce = () => (fetching ??= renew());

  return async (kid: string): Promise<SigningKey | 'unavailable' | undefined> => {
    const known = isServing() ? keys.get(kid) : undefined;
    if (known && steady() - fetchedAt < FRESH_MS) return known;
    const pauseMs = isServing() ? RETRY_MS : RETRY_WITHOUT_KEYS_MS;
    if (steady() - triedAt >= pauseMs) void fetchOnce();
    if (known) return known;
    await fetching;
    return isServing() ? keys.get(kid) : 'unavailable';
  };
}

const metadataSchema = z.object({ jwks_uri: z.url() });
const keySchema = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string(),
  endorsements: z.array(z.string()).optional(),
});
const keySetSchema = z.object({ keys: z.array(keySchema.optional().catch(undefined)) });

/** Fetches the keys that an OpenID metadata document names, by their ids. Returns the reason if they cannot be fetched. */
export async function fetchSigningKeys({ upstream, metadata }: Source) {
  const document = await fetchJson(upstream, metadata, metadataSchema);
  if (typeof document === 'string') return document;
  const set = await fetchJson(upstream, new URL(document.jwks_uri), keySetSchema);
  return typeof set === 'string' ? set : new Map((await Promise.all(set.keys.map(importKey))).flat());
}

async function fetchJson<T>(upstream: Upstream, url: URL, schema: z.ZodType<T>): Promise<T | string> {
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  if (!isSafe) return 'not over https';
  const outcome = await upstream.call({ method: 'GET', url });
  if (outcome.kind === 'no answer') return outcome.fault.kind;
  if (outcome.status !== 200) return `status ${outcome.status}`;
  return schema.safeParse(parseJson(outcome.text)).data ?? 'unreadable';
}

async function importKey(published?: z.output<typeof keySchema>): Promise<Array<[string, SigningKey]>> {
  if (published === undefined) return [];
  const { endorsements, ...jwk } = published;
  // The platform throws several kinds of errors for numbers that make no key.
  const key = (await importJWK(jwk, 'RS256').catch(() => undefined)) as CryptoKey | undefined;
  const { modulusLength = 0 } = (key?.algorithm ?? {}) as { modulusLength?: number };
  return key && modulusLength >= 2048 ? [[jwk.kid, { key, endorsements }]] : []; // Shorter keys can be broken.
}
