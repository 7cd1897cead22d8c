import { targetUnder, type Upstream } from '../http.ts';
import { type Exchange, endOf, firstText, readExchangeOutcome } from './exchange-outcome.ts';
import { callFollowingRedirects } from './redirects.ts';

export type AuthorizeOptions = { upstream: Upstream; base: URL; sdkPrefix: string; now: () => number };

/** Endpoint 1: `POST {base}/<sdk_prefix>/Authorize/` with `{"Username","Password"}` returns an API key. Redirects are followed. */
export function createAuthorize({ upstream, base, sdkPrefix, now }: AuthorizeOptions): Exchange {
  const { origin, pathname } = targetUnder(base, `/${sdkPrefix.replace(/^\/+|\/+$/g, '')}/Authorize/`);
  const url = new URL(origin + pathname);
  return async ({ username, password }) => {
    const outcome = await callFollowingRedirects(upstream, {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Username: username, Password: password.reveal() }),
    });
    return readExchangeOutcome(outcome, (objects) => ({
      credential: firstText(objects, ['APIKey', 'ApiKey', 'apiKey', 'api_key', 'key', 'token']),
      until: endOf(parseDate(firstText(objects, ['ValidUntil', 'validUntil', 'valid_until'])), now()),
    }));
  };
}

/** Reads `/Date(ms)/` or ISO 8601. An offset in `/Date(ms+hhmm)/` changes nothing. */
function parseDate(text: string | undefined): number | undefined {
  const ms = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(text ?? '')?.[1];
  if (ms !== undefined) return Number(ms);
  return /^\d{4}-\d{2}-\d{2}T/.test(text ?? '') ? Date.parse(text ?? '') : undefined;
}
