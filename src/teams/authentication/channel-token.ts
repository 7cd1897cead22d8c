import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { unlessThrown } from '../../domain/text.ts';
import type { SigningKey, SigningKeys } from './signing-keys.ts';

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
      if (signer === 'unavailable') return { kind: 'keys unavailable' as const };
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
      if (!(error instanceof errors.JOSEError)) throw error;
      return refused(reasonText(error, now()));
    }
  };
}

const refused = (reason: string) => ({ kind: 'refused' as const, reason });

/** An activity's own claims, which anyone can make up. */
type Claimed = { channelId: unknown; serviceUrl: unknown };

/** Skips a field that the activity lacks, because the request is refused for it right after. */
function findClaimFault(signed: unknown, { endorsements }: SigningKey, { channelId, serviceUrl }: Claimed) {
  if (isText(channelId) && endorsements?.includes(channelId.trim()) === false) return 'channel not endorsed';
  if (isText(serviceUrl) && signed !== serviceUrl)
    return 'serviceurl: another than the service address of the message';
  return undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const CLOCK = `${CLOCK_TOLERANCE_S} s are tolerated; is the clock of this machine right?`;

/** Names the claim that failed, and by how much. Repeats nothing of the token but its times. */
function reasonText(error: errors.JOSEError, now: number): string {
  if (!(error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed))
    return error.code;
  const { claim, payload, reason } = error;
  const skewS = Number(payload[claim]) - Math.floor(now / 1000);
  if (reason !== 'check_failed') return `${claim}: ${reason}`;
  if (claim === 'exp' || claim === 'nbf') return `${claim}: ${Math.abs(skewS)} s off, and ${CLOCK}`;
  return claim === 'aud' ? 'aud: meant for another bot than MicrosoftAppId' : claim;
}
