import { completeTest, extractTokens, rootElement, type TokenTest } from '../domain/nac-body.ts';
import type { SessionOutcome } from '../domain/outcome.ts';
import { readRecord, withoutIgnored } from '../domain/record.ts';
import type { HttpOutcome } from '../http.ts';

const isComplete = completeTest('sessionParameters');

/**
 * Checks status and root element before it takes anything from the body: that of a "no session", a 500, holds tokens by the
 * rule, and a login page can come with 200.
 */
export function readSessionOutcome(outcome: HttpOutcome, isIgnored: TokenTest = () => false): SessionOutcome {
  if (outcome.kind !== 'answered') return outcome;
  const { status, headers, text } = outcome;
  if (status === 401) return { kind: 'refused' };
  if (status === 403) return { kind: 'forbidden' };
  const root = rootElement(text);
  if (root === 'mnt-rest-result')
    return status === 500 && text.split('<').some(saysNoSession)
      ? { kind: 'no session' }
      : { kind: 'fault', status };
  if (status >= 300 && status < 400) return { kind: 'unusable', reason: 'login page' };
  if (status !== 200) return { kind: 'fault', status };
  if (root === 'sessionParameters') {
    if (!isComplete(text)) return { kind: 'unusable', reason: 'cut off' };
    const tokens = extractTokens(text).filter((token) => !isIgnored(token));
    return { kind: 'found', tokens, record: withoutIgnored(readRecord(text), isIgnored), text };
  }
  const isPage =
    root?.toLowerCase() === 'html' || /^text\/html\b/i.test(String(headers['content-type'] ?? ''));
  if (isPage || /^\s*<!doctype html/i.test(text)) return { kind: 'unusable', reason: 'login page' };
  const isCutOff = root === undefined && /^\s*(?:<|$)/.test(text); // Before the root's start tag ended.
  return { kind: 'unusable', reason: isCutOff ? 'cut off' : 'unknown' };
}

/** Checks the words, since other things can be not available. One expression would scan a long text again and again. */
function saysNoSession(text: string): boolean {
  const at = text.search(/\bis\s+not\s+available/i);
  return at !== -1 && /session/i.test(text.slice(0, at));
}
