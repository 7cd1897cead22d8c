import type { NoAnswer, Resting } from '../domain/outcome.ts';
import { type Account, type Held, Secret } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import { type HttpOutcome, type HttpRequest, targetUnder, type Upstream } from '../http.ts';

export type IssuedName = 'API key' | 'ticket';
export type Exchange = (account: Account) => Promise<ExchangeOutcome>;
export type Exchanges = Partial<Record<IssuedName, Exchange>>;
export type ExchangeOutcome = Held | ExchangeFault;

/** `refused`: 401; `forbidden`: 403; `no credential`: a 2xx answer held none, or could not be read. */
export type ExchangeFault =
  | { kind: 'refused' | 'forbidden' | 'no credential' }
  | { kind: 'fault'; status: number }
  /** A redirect to another origin was not followed, because it would have carried the password away. */
  | { kind: 'redirected' }
  | NoAnswer;

type Followed = HttpOutcome | { kind: 'redirected' };

export type CredentialOutcome = Held | { kind: 'not configured' } | Resting | ExchangeFault;

type Systems = { authorize?: { url: URL; sdkPrefix: string } | undefined; ticket?: { url: URL } | undefined };

/**
 * The API key: `POST {url}/<sdk_prefix>/Authorize/` with `{"Username","Password"}` returns an API key.
 * The ticket: `POST {url}/api/v1/ticket` with `{"username","password"}` returns a service ticket.
 */
export function createExchanges(
  { authorize, ticket }: Systems,
  upstreams: { authorize: Upstream; ticket: Upstream },
  now: () => number,
): Exchanges {
  const exchangeAt =
    (upstream: Upstream, url: URL, user: string, secret: string): Exchange =>
    async ({ username, password }) => {
      const body = { [user]: username, [secret]: password.reveal() };
      return readExchangeOutcome(await post(upstream, url, body), now());
    };
  const prefix = authorize?.sdkPrefix.replace(/^\/+|\/+$/g, '');
  const keyUrl = authorize && targetUnder(authorize.url, `/${prefix}/Authorize/`);
  const ticketUrl = ticket && targetUnder(ticket.url, '/api/v1/ticket');
  return {
    ...(keyUrl && { 'API key': exchangeAt(upstreams.authorize, keyUrl, 'Username', 'Password') }),
    ...(ticketUrl && { ticket: exchangeAt(upstreams.ticket, ticketUrl, 'username', 'password') }),
  };
}

/** The fields that may hold a credential, and its end. */
const CREDENTIAL = ['serviceTicket', 'ticket', 'APIKey', 'ApiKey', 'apiKey', 'api_key', 'key', 'token'];
const UNTIL = ['ValidUntil', 'validUntil', 'valid_until'];

/**
 * Posts JSON and follows up to five redirects as browsers do: 307 and 308 repeat method and body, 301, 302 and 303
 * become a GET without body (RFC 9110, section 15.4; Fetch Standard, "HTTP-redirect fetch"). Does not follow a redirect
 * to another origin (https to http included), which would get the password or answer in the system's name.
 */
async function post(upstream: Upstream, url: URL, body: Record<string, string>): Promise<Followed> {
  const headers = { 'content-type': 'application/json' };
  let next: HttpRequest = { method: 'POST', url, headers, body: JSON.stringify(body) };
  for (let followed = 0; ; followed++) {
    const outcome = await upstream.call(next);
    if (outcome.kind !== 'answered' || ![301, 302, 303, 307, 308].includes(outcome.status)) return outcome;
    const { location } = outcome.headers;
    const to = location ? URL.parse(String(location), next.url) : null;
    if (to === null || followed === 5) return outcome;
    if (to.origin !== url.origin) return { kind: 'redirected' };
    next = outcome.status >= 307 ? { ...next, url: to } : { url: to, method: 'GET' };
  }
}

const MAX_LIFETIME_MS = 24 * 3_600_000;
/** Keys are known to idle out within minutes. */
const DEFAULT_LIFETIME_MS = 3 * 60_000;

/**
 * Reads an answer: a JSON object, or the object under its `response`, which some systems use as a wrapper. A credential ends
 * when its system says, at most a day from now.
 */
export function readExchangeOutcome(outcome: Followed, now: number): ExchangeOutcome {
  if (outcome.kind !== 'answered') return outcome;
  const { status, text } = outcome;
  if (status === 401) return { kind: 'refused' };
  if (status === 403) return { kind: 'forbidden' };
  if (status < 200 || status >= 300) return { kind: 'fault', status };
  const body = Object(parseJson(text));
  const fields: Fields = { ...Object(body.response), ...body };
  const credential = firstText(fields, CREDENTIAL);
  if (credential === undefined) return { kind: 'no credential' };
  // Nothing here keeps a ticket from idling.
  const lifetimes = [fields.idleTimeout, fields.sessionTimeout].filter((each) => typeof each === 'number');
  const ends = [parseDate(firstText(fields, UNTIL)), ...lifetimes.map((seconds) => now + seconds * 1000)];
  const said = ends.filter((each) => each > now);
  const longestMs = said.length > 0 ? MAX_LIFETIME_MS : DEFAULT_LIFETIME_MS;
  const until = Math.floor(Math.min(now + longestMs, ...said));
  return { kind: 'held', credential: new Secret(credential), since: now, until };
}

type Fields = Readonly<Record<string, unknown>>;

function firstText(fields: Fields, names: readonly string[]): string | undefined {
  const values = names.map((name) => fields[name]);
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** Reads `/Date(ms)/`, whose offset changes nothing, or ISO 8601; NaN for a text that is no date. */
function parseDate(text = ''): number {
  const ms = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(text)?.[1];
  return ms === undefined ? Date.parse(text) : Number(ms);
}
