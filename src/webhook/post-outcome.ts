import { parseJson } from '../domain/json.ts';
import type { NoAnswer } from '../domain/outcome.ts';
import { type HttpAnswer, type HttpOutcome, readRetryAfter } from '../http.ts';

/** The outcome of a post. `final`: trying again cannot help. */
export type PostOutcome =
  | { kind: 'posted' }
  /** The room's webhook does not exist (any more). */
  | { kind: 'not found'; final: true }
  | { kind: 'rejected'; status: number; final: true }
  /** The body says error, though the status is a 2xx. */
  | { kind: 'error verdict'; final: false }
  /** @property retryAfterMs how long the webhook asked to wait, else 0 */
  | { kind: 'failed'; status: number; retryAfterMs: number; final: false }
  | (NoAnswer & { final: false });

export type PostFault = Exclude<PostOutcome, { kind: 'posted' }>;

/** Reads a webhook's verdict. A 2xx alone is no proof: rooms answer 200 to posts that they did not take. */
export function readPostOutcome(outcome: HttpOutcome): PostOutcome {
  return outcome.kind === 'answered' ? readAnswer(outcome) : { ...outcome, final: false };
}

const PASSING = new Set([408, 425, 429]);

function readAnswer({ status, headers, text }: HttpAnswer): PostOutcome {
  const verdict = readErrorVerdict(text);
  if ((verdict === 'not found' && status < 500) || status === 404 || status === 410)
    return { kind: 'not found', final: true };
  if (status >= 500 || PASSING.has(status))
    return { kind: 'failed', status, retryAfterMs: readRetryAfter(headers), final: false };
  if (status < 200 || status >= 300) return { kind: 'rejected', status, final: true };
  return verdict === 'error' ? { kind: 'error verdict', final: false } : { kind: 'posted' };
}

/** Reads a JSON object whose `status` is `error` or whose `error` is truthy; returns undefined for any other body. */
function readErrorVerdict(text: string): 'error' | 'not found' | undefined {
  const body = parseObject(text);
  if (
    body === undefined ||
    (!body.error && !(typeof body.status === 'string' && /^error$/i.test(body.status)))
  )
    return undefined;
  return /not\s*found/i.test(JSON.stringify([body.error, body.message])) ? 'not found' : 'error';
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
