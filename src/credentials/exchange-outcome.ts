import type { TrustFault } from '../http/trust.ts';
import type { HttpOutcome } from '../http.ts';
import { parseJson } from '../text/json.ts';
import { Secret } from '../text/secret.ts';
import type { RedirectFault } from './redirects.ts';

/** User name and password, as the service account or a person has them. */
export type Account = { username: string; password: Secret };

/** The credentials that an exchange issues. */
export type IssuedName = 'API key' | 'ticket';

/** Exchanges an account for a credential with one system. */
export type Exchange = (account: Account) => Promise<ExchangeOutcome>;

/** What came of an exchange. Times are milliseconds since 1970. */
export type ExchangeOutcome = { kind: 'granted'; credential: Secret; until: number } | ExchangeFault;

export type ExchangeFault =
  /** 401: user name or password is wrong. */
  | { kind: 'refused' }
  /** 403: the account may not have one. */
  | { kind: 'forbidden' }
  /** A redirect that would have carried the password away, or led nowhere; it was not followed. */
  | { kind: 'redirected'; reason: RedirectFault }
  | { kind: 'fault'; status: number }
  /** A 2xx in which no credential was found, or that could not be read. */
  | { kind: 'no credential' }
  | { kind: 'timed out'; timeoutMs: number }
  | { kind: 'untrusted'; reason: TrustFault }
  | { kind: 'unreachable' };

/** The longest that a credential is kept, whatever its system says. */
const LONGEST_LIFETIME_MS = 24 * 3_600_000;

/** A credential's end as its system says it, within reason: the past, or no number at all, counts as not said. */
export function endOf(until: number | undefined, now: number): number {
  if (until === undefined || !(until > now)) return now + DEFAULT_LIFETIME_MS;
  return Math.floor(Math.min(until, now + LONGEST_LIFETIME_MS));
}

/** Taken where an answer names no lifetime: keys are known to idle out within minutes. */
const DEFAULT_LIFETIME_MS = 3 * 60_000;

/**
 * Reads an exchange's answer, whatever the system.
 * @param pick finds the credential and its end in the answer's JSON objects, the outermost first
 */
export function readExchangeOutcome(
  outcome: HttpOutcome | { kind: 'redirected'; reason: RedirectFault },
  pick: (objects: readonly JsonObject[]) => { credential: string | undefined; until: number },
): ExchangeOutcome {
  switch (outcome.kind) {
    case 'answered':
      break;
    case 'timed out':
      return { kind: 'timed out', timeoutMs: outcome.timeoutMs };
    case 'too large':
    case 'cut off':
      return { kind: 'no credential' };
    case 'untrusted':
      return { kind: 'untrusted', reason: outcome.reason };
    case 'redirected':
      return { kind: 'redirected', reason: outcome.reason };
    case 'unreachable':
      return { kind: 'unreachable' };
  }
  if (outcome.status === 401) return { kind: 'refused' };
  if (outcome.status === 403) return { kind: 'forbidden' };
  if (outcome.status < 200 || outcome.status >= 300) return { kind: 'fault', status: outcome.status };
  const { credential, until } = pick(objectsIn(outcome.text));
  return credential === undefined
    ? { kind: 'no credential' }
    : { kind: 'granted', credential: new Secret(credential), until };
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The first of the names that has a text which is not empty. */
export function firstText(objects: readonly JsonObject[], names: readonly string[]): string | undefined {
  for (const object of objects) {
    const name = names.find((each) => typeof object[each] === 'string' && object[each] !== '');
    if (name !== undefined) return String(object[name]);
  }
  return undefined;
}

/** A JSON body's object, and the object under its `response`, which some systems wrap theirs in. */
function objectsIn(text: string): JsonObject[] {
  const body = parseJson(text);
  return [body, isObject(body) ? body.response : undefined].filter(isObject);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
