import { readRecord, type SessionRecord } from '../domain/record.ts';
import { extractTokens, type TokenTest } from '../domain/tokens.ts';
import { completeTest, rootElement } from '../domain/xml-root.ts';
import type { TrustFault } from '../http/trust.ts';
import type { HttpOutcome } from '../http.ts';
import type { Paused } from './breaker.ts';

/** What the NAC said about one device. */
export type SessionOutcome =
  /** `text` is the answer itself. */
  | { kind: 'found'; tokens: readonly string[]; record: SessionRecord; text: string }
  | { kind: 'no session' }
  /** 401: the credentials are not accepted. */
  | { kind: 'refused' }
  /** 403: the account may not read sessions. */
  | { kind: 'forbidden' }
  | { kind: 'fault'; status: number }
  | { kind: 'unusable'; reason: UnusableReason }
  | { kind: 'timed out'; timeoutMs: number }
  | { kind: 'untrusted'; reason: TrustFault }
  | { kind: 'unreachable' }
  /** The NAC was not asked, because it failed too often recently. */
  | Paused;

export type UnusableReason = 'too large' | 'cut off' | 'endless' | 'login page' | 'unknown';

/**
 * Reads the answer of the session call. It checks status and root element before it takes anything from the body.
 * The body of a "no session", a 500, holds tokens by the rule, and a login page can come with 200.
 * @param isIgnored whether a token is left out
 */
export function readSessionOutcome(outcome: HttpOutcome, isIgnored: TokenTest = () => false): SessionOutcome {
  switch (outcome.kind) {
    case 'answered':
      return readAnswer(outcome, isIgnored);
    case 'too large':
      return { kind: 'unusable', reason: 'too large' };
    case 'cut off':
      return { kind: 'unusable', reason: 'cut off' };
    case 'timed out':
      return outcome.begun
        ? { kind: 'unusable', reason: 'endless' }
        : { kind: 'timed out', timeoutMs: outcome.timeoutMs };
    case 'untrusted':
      return { kind: 'untrusted', reason: outcome.reason };
    case 'unreachable':
      return { kind: 'unreachable' };
  }
}

const isComplete = completeTest('sessionParameters');

type Answered = Extract<HttpOutcome, { kind: 'answered' }>;

function readAnswer({ status, headers, text }: Answered, isIgnored: TokenTest): SessionOutcome {
  if (status === 401) return { kind: 'refused' };
  if (status === 403) return { kind: 'forbidden' };
  const root = rootElement(text);
  if (root === 'mnt-rest-result')
    return isNoSession(status, text) ? { kind: 'no session' } : { kind: 'fault', status };
  if (status >= 300 && status < 400) return { kind: 'unusable', reason: 'login page' };
  if (status !== 200) return { kind: 'fault', status };
  if (root === 'sessionParameters')
    return isComplete(text) ? found(text, isIgnored) : { kind: 'unusable', reason: 'cut off' };
  const isPage =
    root?.toLowerCase() === 'html' || /^text\/html\b/i.test(String(headers['content-type'] ?? ''));
  if (isPage || /^\s*<!doctype html/i.test(text)) return { kind: 'unusable', reason: 'login page' };
  return { kind: 'unusable', reason: root === undefined && isCutOffBeforeRoot(text) ? 'cut off' : 'unknown' };
}

/** Checks the status and the words, because other faults say that other things are not available. */
function isNoSession(status: number, text: string): boolean {
  return status === 500 && text.split('<').some(saysNoSession);
}

/** Takes two steps, because one expression would scan a long text again and again. */
function saysNoSession(text: string): boolean {
  const at = text.search(/\bis\s+not\s+available/i);
  return at !== -1 && /session/i.test(text.slice(0, at));
}

function found(text: string, isIgnored: TokenTest): SessionOutcome {
  const tokens = extractTokens(text).filter((token) => !isIgnored(token));
  return { kind: 'found', tokens, record: readRecord(text), text };
}

/** Whether a text without a root element was cut off before that element's start tag ended. */
function isCutOffBeforeRoot(text: string): boolean {
  const start = text.trimStart();
  return start === '' || start.startsWith('<');
}
