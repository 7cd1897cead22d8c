import type { NoAnswer } from '../domain/outcome.ts';
import { Secret } from '../domain/secret.ts';
import { parseJson } from '../domain/text.ts';
import type { HttpOutcome } from '../http.ts';
import type { RedirectFault } from './redirects.ts';

/** User name and password of the service account or of a person. */
export type Account = { username: string; password: Secret };

/** The credentials that an exchange issues. */
export type IssuedName = 'API key' | 'ticket';

/** Exchanges an account for a credential with one system. */
export type Exchange = (account: Account) => Promise<ExchangeOutcome>;

/** The outcome of an exchange. Times are milliseconds since 1970. */
export type ExchangeOutcome = { kind: 'granted'; credential: Secret; until: number } | ExchangeFault;

export type ExchangeFault =
  /** 401: user name or password is wrong. */
  | { kind: 'refused' }
  /** 403: the account may not have a credential. */
  | { kind: 'forbidden' }
  /** A redirect was not followed, because it would have carried the password away or led nowhere. */
  | { kind: 'redirected'; reason: RedirectFault }
  | { kind: 'fault'; status: number }
  /** A 2xx answer held no credential, or could not be read. */
  | { kind: 'no credential' }
  | NoAnswer;

/** The longest that a credential is kept, whatever its system says. */
const LONGEST_LIFETIME_MS = 24 * 3_600_000;

/** Returns a credential's end as its system says it, at most a day from now. A past end, or NaN, counts as not said. */
export function endOf(until: number | undefined, now: number): number {
  if (until === undefined || !(until > now)) return now + DEFAULT_LIFETIME_MS;
  return Math.floor(Math.min(until, now + LONGEST_LIFETIME_MS));
}

/** The lifetime if an answer names none: keys are known to idle out within minutes. */
const DEFAULT_LIFETIME_MS = 3 * 60_000;

/**
 * Reads the answer of any exchange.
 * @param pick finds the credential and its end in the answer's JSON objects, the outermost first
 */
export function readExchangeOutcome(
  outcome: HttpOutcome | { kind: 'redirected'; reason: RedirectFault },
  pick: (objects: readonly JsonObject[]) => { credential: string | undefined; until: number },
): ExchangeOutcome {
  if (outcome.kind !== 'answered') return outcome;
  if (outcome.status === 401) return { kind: 'refused' };
  if (outcome.status === 403) return { kind: 'forbidden' };
  if (outcome.status < 200 || outcome.status >= 300) return { kind: 'fault', status: outcome.status };
  const { credential, until } = pick(objectsIn(outcome.text));
  return credential === undefined
    ? { kind: 'no credential' }
    : { kind: 'granted', credential: new Secret(credential), until };
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the first text that is not empty under one of the names, object by object. */
export function firstText(objects: readonly JsonObject[], names: readonly string[]): string | undefined {
  for (const object of objects) {
    const name = names.find((each) => typeof object[each] === 'string' && object[each] !== '');
    if (name !== undefined) return String(object[name]);
  }
  return undefined;
}

/** Returns a JSON body's object and the object under its `response`, which some systems use as a wrapper. */
function objectsIn(text: string): JsonObject[] {
  const body = parseJson(text);
  return [body, isObject(body) ? body.response : undefined].filter(isObject);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
