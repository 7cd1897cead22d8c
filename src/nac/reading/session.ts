import type { SessionOutcome } from '../../domain/outcome.ts';
import type { HttpOutcome } from '../../http.ts';
import { readRecord, withoutIgnored } from './record.ts';
import { isWhole, rootElement } from './texts.ts';
import { extractTokens, type TokenTest } from './tokens.ts';

/**
 * Checks status and root element before it takes anything from the body: that of a "no session" holds tokens by the rule, and a
 * login page can come with 200. A gateway in front can give the 500 of a "no session" another status.
 */
export function readSessionOutcome(outcome: HttpOutcome, isIgnored?: TokenTest): SessionOutcome {
  if (outcome.kind !== 'answered') return outcome;
  const { status, headers, text } = outcome;
  if (status === 401) return { kind: 'refused' };
  if (status === 403) return { kind: 'forbidden' };
  if (status >= 300 && status < 400)
    return { kind: 'unusable', reason: 'redirect', status, to: originOf(headers.location) };
  const isSuccess = status >= 200 && status < 300;
  const root = rootElement(text);
  if (root === 'mnt-rest-result' && (isSuccess || status === 500 || status === 404))
    return readResult(status, text);
  if (!isSuccess) return { kind: 'fault', status };
  if (text.trim() === '') return { kind: 'unusable', reason: 'empty', status };
  if (root === 'sessionParameters') {
    if (!isWhole(text, root)) return { kind: 'unusable', reason: 'cut off' };
    const [tokens, record] = [extractTokens(text), readRecord(text)];
    if (isIgnored === undefined) return { kind: 'found', tokens, record, text };
    const posted = tokens.filter((token) => !isIgnored(token));
    return { kind: 'found', tokens: posted, record: withoutIgnored(record, isIgnored), text };
  }
  const isPage =
    root?.toLowerCase() === 'html' || /^text\/html\b/i.test(String(headers['content-type'] ?? ''));
  if (isPage || /^\s*<!doctype html/i.test(text)) return { kind: 'unusable', reason: 'login page' };
  const isCutOff = root === undefined && /^\s*</.test(text); // Before the root's start tag ended.
  return { kind: 'unusable', reason: isCutOff ? 'cut off' : 'unknown' };
}

/** Checks the words, since other things can be not available, and some codes mark both. */
function readResult(status: number, text: string): SessionOutcome {
  const info = text.slice(0, 65_536).replace(/\s{1,1000}/g, ' ');
  const isAway = /session directory[^<]{0,100}(?:not available|unavailable)/i.test(info);
  if (isAway) return { kind: 'fault', status, part: 'session directory' };
  return NONE.test(info) ? { kind: 'no session' } : { kind: 'fault', status };
}

/** `Session data is not available for 00:1B:54:00:00:07`, or `not available for` an address alone. */
const NONE =
  /session data (?:is |are )?not available|not available for (?:(?:[\da-f]{2}[:-]){5}[\da-f]{2}|(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})(?![\w:-])/i;

/** Leaves out the path, which names the device. */
function originOf(location: unknown): string | undefined {
  const url = URL.parse(String(location ?? ''));
  return url?.host ? url.origin : undefined;
}
