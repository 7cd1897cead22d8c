import { hash } from 'node:crypto';
import type { NoAnswer } from '../domain/outcome.ts';
import type { Secret, WebhookAddress } from '../domain/secret.ts';
import { takePiece } from '../domain/text.ts';
import { readRetryAfter, type Upstream } from '../http.ts';
import { FORMS } from './forms.ts';
import type { Verdict } from './verdict.ts';

/** The outcome of a post. If an answer came, but not whole, its verdict is unknown. */
export type PostOutcome = Verdict | (NoAnswer & { final: false });
export type PostFault = Exclude<PostOutcome, { kind: 'posted' }>;

/**
 * `left`: the part of the text that the room has not taken, to be sent again. `retryAfterMs`: for how long the room wants to be
 * left in peace, else 0.
 */
export type Sent = PostOutcome & { left: string; retryAfterMs: number };

/** The status of the answer that asked for a pause, and the pause's end by the steady clock. */
type Pause = { status: number; until: number };

export type SenderOptions = {
  upstream: Upstream;
  address: Secret<WebhookAddress>;
  /** The pauses that rooms asked for, by the fingerprint of their addresses. */
  rests: { pauses: ReadonlyMap<string, Pause>; beginPause(room: string, pause: Pause): void };
  steady: () => number;
};

/** The pause after a 429 without `Retry-After`. The product restarts its penalty when a post comes within it. */
const UNSAID_MS = 30_000;

/**
 * Posts a text to the room, in whatever form. Splits a text longer than the room takes between lines, and stops at the first post
 * that fails. Makes no post while the room wants to be left in peace.
 * @param options.address where the room is now; it may change while the bot runs
 */
export async function sendText(
  text: string,
  { upstream, address, rests, steady }: SenderOptions,
): Promise<Sent> {
  const { base, form, token } = address.reveal();
  const adapter = FORMS[form];
  const url = adapter.target(base, token.reveal());
  const room = hash('sha256', url.href).slice(0, 8); // Too short to try tokens on.
  let left = text;
  do {
    const { status = 0, until = 0 } = rests.pauses.get(room) ?? {};
    const restMs = until - steady();
    if (restMs > 0) return { kind: 'failed', status, final: false, left, retryAfterMs: restMs };
    const { piece, left: after } = takePiece(left, adapter.maxCharacters);
    const headers = { 'content-type': 'application/json' };
    const answer = await upstream.call({ method: 'POST', url, headers, body: adapter.body(piece) });
    if (answer.kind === 'no answer') return { ...answer, final: false, left, retryAfterMs: 0 };
    const verdict = adapter.read(answer.status, answer.text);
    if (verdict.kind !== 'posted') {
      const retryAfterMs = readRetryAfter(answer.headers) || (answer.status === 429 ? UNSAID_MS : 0);
      if (retryAfterMs > 0) rests.beginPause(room, { status: answer.status, until: steady() + retryAfterMs });
      return { ...verdict, left, retryAfterMs };
    }
    left = after;
  } while (left !== '');
  return { kind: 'posted', left, retryAfterMs: 0 };
}
