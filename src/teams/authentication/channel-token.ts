import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { KeysUnavailableError, type SigningKeys } from './signing-keys.ts';

/** The issuer of the channels' tokens (Bot Connector authentication, "Connector to bot"). */
const ISSUER = 'https://api.botframework.com';
const CLOCK_TOLERANCE_S = 300;

/**
 * Judges the `Authorization` header of a request from the channel, before its body is read: what a token says by itself. The
 * issuer comes first, because a stranger's token must cause no fetch. Then come signature (RS256 alone), audience and time.
 * `findFault` tells afterwards why the token is not good for an activity; reasons are for the log alone.
 */
export function createTokenCheck({
  keys,
  appId,
  now,
}: {
  keys: SigningKeys;
  appId: string;
  now: () => number;
}) {
  return async (authorization: string | undefined) => {
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return refused('no bearer token');
    try {
      if (decodeJwt(token).iss !== ISSUER) return refused('iss: not the Bot Framework');
      const { kid, alg } = readHeader(token);
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
      const confirmed = { serviceUrl: payload.serviceurl, endorsements: signer.endorsements };
      const findFault = (claimed: Claimed) => findClaimFault(confirmed, claimed);
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

/** What a token confirms: a service address, and the channels that its key may speak for (undefined: any). */
type Confirmed = { serviceUrl: unknown; endorsements: readonly string[] | undefined };

/** Skips a field that the activity lacks, because the request is refused for it right after. */
function findClaimFault(token: Confirmed, { channelId, serviceUrl }: Claimed): string | undefined {
  if (isText(channelId) && token.endorsements?.includes(channelId.trim()) === false)
    return 'channel not endorsed';
  if (isText(serviceUrl) && token.serviceUrl !== serviceUrl)
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

/** Returns the unverified header; empty if it cannot be read, for which the library throws a TypeError. */
function readHeader(token: string): { kid?: unknown; alg?: unknown } {
  try {
    return decodeProtectedHeader(token);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return {};
  }
}

const refused = (reason: string) => ({ kind: 'refused' as const, reason });

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
