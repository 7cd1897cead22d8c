import { hash } from 'node:crypto';
import type { NoAnswer } from '../domain/outcome.ts';
import type { WebhookAddress, WebhookForm } from '../domain/secret.ts';
import { takePiece } from '../domain/text.ts';
import { type HttpOutcome, readRetryAfter, type Upstream } from '../http.ts';
import { legacy } from './legacy.ts';
import { v2 } from './v2.ts';
import { readVerdict, type Verdict } from './verdict.ts';

/** The address of each form. Bodies, bounds and answers are the same. */
const TARGETS: Readonly<Record<WebhookForm, (base: URL, token: string) => URL>> = { v2, legacy };
/** The longest text of one post, in UTF-16 units. */
export const MAX_CHARACTERS = 10_000;

/** The outcome of a post. `retryAfterMs`: for how long the room wants to be left in peace, else 0. */
export type PostOutcome =
  | Exclude<Verdict, { kind: 'failed' }>
  | (Extract<Verdict, { kind: 'failed' }> & { retryAfterMs: number })
  /** If an answer came, but not whole, its verdict is unknown. */
  | (NoAnswer & { final: false });

export type PostFault = Exclude<PostOutcome, { kind: 'posted' }>;

/** Posts a text to the room. `left`: the part of the text that the room has not taken, to be sent again. */
export type PostToRoom = (text: string) => Promise<{ kind: 'posted' } | (PostFault & { left: string })>;

type Pause = { status: number; leftMs: number };
/** The pauses that rooms asked for, by the fingerprint of their addresses. */
type Pauses = { find(room: string): Pause | undefined; begin(room: string, pause: Pause): void };

type SenderOptions = { upstream: Upstream; address: () => WebhookAddress; pauses: Pauses };

/**
 * The one sender for all forms. Splits a text longer than the room takes between lines, and stops at the first post that fails.
 * Makes no post while the room wants to be left in peace.
 * @param options.address where the room is now; it may change while the bot runs
 */
export function createSender({ upstream, address, pauses }: SenderOptions): PostToRoom {
  return async (text) => {
    const { base, form, token } = address();
    const url = TARGETS[form](base, token.reveal());
    const room = hash('sha256', url.href).slice(0, 8); // Too short to try tokens on.
    let left = text;
    do {
      const pause = pauses.find(room);
      if (pause)
        return { kind: 'failed', status: pause.status, retryAfterMs: pause.leftMs, final: false, left };
      const { piece, left: after } = takePiece(left, MAX_CHARACTERS);
      const body = JSON.stringify({ text: piece });
      const headers = { 'content-type': 'application/json' };
      const outcome = readPostOutcome(await upstream.call({ method: 'POST', url, headers, body }));
      if (outcome.kind === 'failed' && outcome.retryAfterMs > 0)
        pauses.begin(room, { status: outcome.status, leftMs: outcome.retryAfterMs });
      if (outcome.kind !== 'posted') return { ...outcome, left };
      left = after;
    } while (left !== '');
    return { kind: 'posted' };
  };
}

/** The pause after a 429 without `Retry-After`. The product restarts its penalty when a post comes within it. */
const UNSAID_MS = 30_000;
const MAX_PAUSE_MS = 15 * 60_000;

/** Reads the outcome of one post. */
function readPostOutcome(outcome: HttpOutcome): PostOutcome {
  if (outcome.kind !== 'answered') return { ...outcome, final: false };
  const { status, headers, text } = outcome;
  const verdict = readVerdict(status, text);
  if (verdict.kind !== 'failed') return verdict;
  const askedMs = readRetryAfter(headers) || (status === 429 ? UNSAID_MS : 0);
  return { ...verdict, retryAfterMs: Math.min(askedMs, MAX_PAUSE_MS) };
}
