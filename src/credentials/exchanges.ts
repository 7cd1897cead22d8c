import type { NoAnswer, Resting } from '../domain/outcome.ts';
import { type Account, Secret } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import { type HttpOutcome, type HttpRequest, targetUnder, type Upstream } from '../http.ts';

export type IssuedName = 'API key' | 'ticket';
export type Exchange = (account: Account) => Promise<ExchangeOutcome>;
export type Exchanges = Partial<Record<IssuedName, Exchange>>;
export type ExchangeOutcome = Issued | ExchangeFault;

/** `refused`: 401; `forbidden`: 403; `no credential`: a 2xx answer held none, or could not be read. */
export type ExchangeFault =
  | { kind: 'refused' | 'forbidden' | 'no credential' }
  | { kind: 'fault'; status: number }
  | Redirected
  | NoAnswer;

/** A redirect was not followed, because it would have carried the password away or led nowhere. */
type Redirected = { kind: 'redirected'; reason: 'another origin' | 'too many' | 'no address' };
type Followed = HttpOutcome | Redirected;

export type CredentialOutcome = Held | { kind: 'not configured' } | NotConnected | Resting | ExchangeFault;

/** Times are milliseconds since 1970; without `until` the credential holds as long as its account. */
export type Held = { kind: 'held'; credential: Secret; since: number; until: number | undefined };
export type Issued = Held & { until: number };
/** `refused`: the account was refused and forgotten a moment ago. `unknown`: accounts cannot be read, so there may be one. */
export type NotConnected = { kind: 'not connected'; refused?: true; unknown?: true };

type Systems = { authorize?: { url: URL; sdkPrefix: string } | undefined; ticket?: { url: URL } | undefined };

/**
 * Endpoint 1: `POST {url}/<sdk_prefix>/Authorize/` with `{"Username","Password"}` returns an API key. Redirects are followed.
 * Endpoint 2: `POST {url}/api/v1/ticket` with `{"username","password"}` returns a service ticket.
 */
export function createExchanges(
  { authorize, ticket }: Systems,
  upstreams: { authorize: Upstream; ticket: Upstream },
  now: () => number,
): Exchanges {
  const exchanges: Exchanges = {};
  if (authorize)
    exchanges['API key'] = async ({ username, password }) => {
      const prefix = authorize.sdkPrefix.replace(/^\/+|\/+$/g, '');
      const url = targetUnder(authorize.url, `/${prefix}/Authorize/`);
      const request = post(url, { Username: username, Password: password.reveal() });
      const outcome = await callFollowingRedirects(upstreams.authorize, request);
      return readExchangeOutcome(outcome, now(), (objects) => ({
        credential: firstText(objects, ['APIKey', 'ApiKey', 'apiKey', 'api_key', 'key', 'token']),
        until: parseDate(firstText(objects, ['ValidUntil', 'validUntil', 'valid_until'])),
      }));
    };
  if (ticket)
    exchanges.ticket = async ({ username, password }) => {
      const url = targetUnder(ticket.url, '/api/v1/ticket');
      const outcome = await upstreams.ticket.call(post(url, { username, password: password.reveal() }));
      return readExchangeOutcome(outcome, now(), (objects) => ({
        credential: firstText(objects, ['serviceTicket', 'ticket']),
        until: now() + (lifetimeMs(objects) ?? Number.NaN),
      }));
    };
  return exchanges;
}

/** Reads `/Date(ms)/` or ISO 8601. An offset in `/Date(ms+hhmm)/` changes nothing. */
function parseDate(text = ''): number | undefined {
  const ms = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(text)?.[1];
  if (ms !== undefined) return Number(ms);
  return /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : undefined;
}

/** The shorter of `idleTimeout` and `sessionTimeout` (seconds), because nothing here keeps a ticket from idling. */
function lifetimeMs(objects: readonly JsonObject[]): number | undefined {
  const seconds = objects
    .flatMap(({ idleTimeout, sessionTimeout }) => [idleTimeout, sessionTimeout])
    .filter((value): value is number => typeof value === 'number' && value > 0);
  return seconds.length > 0 ? Math.min(...seconds) * 1000 : undefined;
}

function post(url: URL, body: Record<string, string>) {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', url, headers, body: JSON.stringify(body) } as const;
}

/**
 * Makes a call and follows up to five redirects as browsers do: 307 and 308 repeat method and body, 301, 302 and 303
 * become a GET without body (RFC 9110, section 15.4; Fetch Standard, "HTTP-redirect fetch"). Does not follow a redirect
 * to another origin (https to http included), which would get the password or answer in the system's name.
 */
async function callFollowingRedirects(upstream: Upstream, request: HttpRequest): Promise<Followed> {
  let next = request;
  for (let followed = 0; ; followed++) {
    const outcome = await upstream.call(next);
    if (outcome.kind !== 'answered' || ![301, 302, 303, 307, 308].includes(outcome.status)) return outcome;
    if (followed === 5) return { kind: 'redirected', reason: 'too many' };
    const location = String(outcome.headers.location ?? '');
    const url = location === '' ? null : URL.parse(location, next.url);
    if (url === null) return { kind: 'redirected', reason: 'no address' };
    if (url.origin !== next.url.origin) return { kind: 'redirected', reason: 'another origin' };
    next = outcome.status >= 307 ? { ...next, url } : { url, method: 'GET' };
  }
}

const MAX_LIFETIME_MS = 24 * 3_600_000;
/** Keys are known to idle out within minutes. */
const DEFAULT_LIFETIME_MS = 3 * 60_000;

/** Returns a credential's end as its system says it, at most a day from now. A past end, or NaN, counts as not said. */
function endOf(until: number | undefined, now: number): number {
  if (until === undefined || !(until > now)) return now + DEFAULT_LIFETIME_MS;
  return Math.floor(Math.min(until, now + MAX_LIFETIME_MS));
}

/** Reads an answer. @param pick finds the credential and its end in the answer's JSON objects, the outermost first */
export function readExchangeOutcome(
  outcome: Followed,
  now: number,
  pick: (objects: readonly JsonObject[]) => { credential: string | undefined; until: number | undefined },
): ExchangeOutcome {
  if (outcome.kind !== 'answered') return outcome;
  if (outcome.status === 401) return { kind: 'refused' };
  if (outcome.status === 403) return { kind: 'forbidden' };
  if (outcome.status < 200 || outcome.status >= 300) return { kind: 'fault', status: outcome.status };
  const { credential, until } = pick(objectsIn(outcome.text));
  if (credential === undefined) return { kind: 'no credential' };
  return { kind: 'held', credential: new Secret(credential), since: now, until: endOf(until, now) };
}

type JsonObject = Readonly<Record<string, unknown>>;

export function firstText(objects: readonly JsonObject[], names: readonly string[]): string | undefined {
  const values = objects.flatMap((object) => names.map((name) => object[name]));
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** Returns a JSON body's object and the object under its `response`, which some systems use as a wrapper. */
function objectsIn(text: string): JsonObject[] {
  const isObject = (value: unknown): value is JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const body = parseJson(text);
  return [body, isObject(body) ? body.response : undefined].filter(isObject);
}
