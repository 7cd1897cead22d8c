import { Secret } from '../text/secret.ts';

/**
 * The value of an `Authorization` header for HTTP Basic, in UTF-8 (RFC 7617). Built once and kept by the caller.
 * @param username must hold no colon
 */
export function basicAuthorization(username: string, password: Secret): Secret {
  return new Secret(`Basic ${Buffer.from(`${username}:${password.reveal()}`, 'utf8').toString('base64')}`);
}
