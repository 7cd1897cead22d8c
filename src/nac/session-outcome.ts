import type { SessionOutcome } from '../domain/outcome.ts';
import { readRecord } from '../domain/record.ts';
import { extractTokens, type TokenTest } from '../domain/tokens.ts';
import { completeTest, rootElement } from '../domain/xml.ts';
import type { HttpAnswer, HttpOutcome } from '../http.ts';

/**
 * Reads the answer of the session call. It checks status and root element before it takes anything from the body.
 * The body of a "no session", a 500, holds tokens by the rule, and a login page can come with 200.
 * @param isIgnored whether a token is left out
 */
export function readSessionOutcome(outcome: HttpOutcome, isIgnored: TokenTest = () => false): SessionOutcome {
  return outcome.kind === 'answered' ? readAnswer(outcome, isIgnored) : outcome;
}

const isComplete = completeTest('sessionParameters');

function readAnswer({ status, headers, text }: HttpAnswer, isIgnored: TokenTest): SessionOutcome {
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
