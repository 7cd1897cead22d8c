import type { NoAnswer } from '../domain/outcome.ts';
import { parseJson, takePiece } from '../domain/text.ts';
import type { WebhookAddress, WebhookForm } from '../domain/webhook-address.ts';
import { type HttpOutcome, readRetryAfter, targetUnder, type Upstream } from '../http.ts';
import { legacy } from './legacy.ts';
import { v2 } from './v2.ts';

/**
 * A form of the incoming webhook: the path from the base address on, with the token unchanged; the body for one message; and
 * the longest text that the room takes in one message, in UTF-16 units.
 */
const ADAPTERS: Readonly<Record<WebhookForm, typeof v2>> = { v2, legacy };

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
  /** If an answer came, but not whole, its verdict is unknown. */
  | (NoAnswer & { final: false });

export type PostFault = Exclude<PostOutcome, { kind: 'posted' }>;

/**
 * Posts a text to the room and returns the outcome.
 * @returns `left`: the part of the text that the room has not taken, to be sent again
 */
export type PostToRoom = (text: string) => Promise<{ kind: 'posted' } | (PostFault & { left: string })>;

/** @property address where the room is now; it may change while the bot runs */
type SenderOptions = { upstream: Upstream; address: () => WebhookAddress };

/** The one sender for both forms. Splits a text longer than the room takes between lines, and stops at the first post that fails. */
export function createSender({ upstream, address }: SenderOptions): PostToRoom {
  return async (text) => {
    const { base, form, token } = address();
    const adapter = ADAPTERS[form];
    let left = text;
    do {
      const { piece, left: after } = takePiece(left, adapter.maxCharacters);
      const outcome = await upstream.call({
        method: 'POST',
        url: targetUnder(base, adapter.path(token.reveal())),
        headers: { 'content-type': 'application/json' },
        body: adapter.body(piece),
      });
      const verdict = readPostOutcome(outcome);
      if (verdict.kind !== 'posted') return { ...verdict, left };
      left = after;
    } while (left !== '');
    return { kind: 'posted' };
  };
}

const PASSING = new Set([408, 425, 429]);

/** Reads a webhook's verdict. A 2xx alone is no proof: rooms answer 200 to posts that they did not take. */
export function readPostOutcome(outcome: HttpOutcome): PostOutcome {
  if (outcome.kind !== 'answered') return { ...outcome, final: false };
  const { status, headers, text } = outcome;
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
  const body: { status?: unknown; error?: unknown; message?: unknown } = { ...(parseJson(text) as object) };
  if (!body.error && !(typeof body.status === 'string' && /^error$/i.test(body.status))) return undefined;
  return /not\s*found/i.test(JSON.stringify([body.error, body.message])) ? 'not found' : 'error';
}
