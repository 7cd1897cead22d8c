import type { HttpOutcome, HttpRequest, Upstream } from '../http.ts';

/** Why a redirect was not followed. */
export type RedirectFault = 'another origin' | 'too many' | 'no address';

const MAX_REDIRECTS = 5;

/**
 * Makes a call and follows up to five redirects as browsers do: 307 and 308 repeat method and body, 301, 302 and 303
 * become a GET without body (RFC 9110, section 15.4; Fetch Standard, "HTTP-redirect fetch"). Does not follow a redirect
 * to another origin (https to http included), which would get the password or answer in the system's name.
 */
export async function callFollowingRedirects(
  upstream: Upstream,
  request: HttpRequest & { url: URL },
): Promise<HttpOutcome | { kind: 'redirected'; reason: RedirectFault }> {
  let next = request;
  for (let followed = 0; ; followed++) {
    const outcome = await upstream.call(next);
    if (outcome.kind !== 'answered' || ![301, 302, 303, 307, 308].includes(outcome.status)) return outcome;
    if (followed === MAX_REDIRECTS) return { kind: 'redirected', reason: 'too many' };
    const location = String(outcome.headers.location ?? '');
    if (location === '' || !URL.canParse(location, next.url))
      return { kind: 'redirected', reason: 'no address' };
    const url = new URL(location, next.url);
    if (url.origin !== next.url.origin) return { kind: 'redirected', reason: 'another origin' };
    next = outcome.status >= 307 ? { ...next, url } : { url, method: 'GET' };
  }
}
