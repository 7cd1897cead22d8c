import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../domain/secret.ts';

/**
 * Whether a request proves that it knows the token: as a bearer token, as the password of HTTP Basic with any user name, or
 * as `?token=`. Compares digests, so the time depends on no part of the token.
 */
export function knowsToken(
  authorization: string | undefined,
  query: URLSearchParams,
  token: Secret,
): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(token.reveal());
  const given = [bearerOf(authorization), passwordOf(authorization), query.get('token')];
  return given.filter((each) => timingSafeEqual(digest(each ?? ''), expected) && each !== null).length > 0;
}

function bearerOf(authorization = ''): string | null {
  return /^Bearer +(.+)$/i.exec(authorization)?.[1] ?? null;
}

function passwordOf(authorization = ''): string | null {
  const packed = /^Basic +([\w+/=-]+) *$/i.exec(authorization)?.[1];
  if (packed === undefined) return null;
  const pair = Buffer.from(packed, 'base64').toString('utf8');
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : null;
}
