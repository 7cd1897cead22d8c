import type { Secret } from '../domain/secret.ts';
import { type HttpOutcome, targetUnder, type Upstream } from '../http.ts';
import type { NacPath } from './paths.ts';

/** Asks a NAC for one path, with GET alone. @param authorization the `Authorization` header's value */
export function get(
  upstream: Upstream,
  base: URL,
  path: NacPath,
  authorization: Secret,
): Promise<HttpOutcome> {
  return upstream.call({
    method: 'GET',
    url: targetUnder(base, path),
    headers: { authorization: authorization.reveal(), accept: 'application/xml' },
  });
}
