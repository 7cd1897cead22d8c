import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Job, JobOutcome, Queue } from '../domain/jobs.ts';
import { type NoAnswer, postName } from '../domain/outcome.ts';
import type { Secret, WebhookAddress } from '../domain/secret.ts';
import { takePiece } from '../domain/text.ts';
import { type Backoff, backoffMs, type Pause, settlesWithin, type Timing } from '../domain/timing.ts';
import { readRetryAfter, type Upstream } from '../http.ts';
import { FORMS } from './forms.ts';
import type { Verdict } from './verdict.ts';

/**
 * A post that waits in the database, or the part of it that is left to send. `place`: where a failure is reported; nothing
 * is read of it here.
 */
export const postJobSchema = z.object({
  text: z.string(),
  place: z.unknown().optional(),
  attempt: z.number(),
});
export type PostJob = z.infer<typeof postJobSchema>;

/** The outcome of a post. If an answer came, but not whole, its verdict is unknown. */
export type PostOutcome = Verdict | (NoAnswer & { final: false });
export type PostFault = Exclude<PostOutcome, { kind: 'posted' }>;

/**
 * `waiting`: as a job, because the room did not take it at an earlier try. `under way`: the caller waited no longer. `isQueued`: as
 * a job.
 */
export type Delivery = {
  outcome: PostOutcome | { kind: 'waiting' } | { kind: 'under way' };
  isQueued: boolean;
};

type PostOptions = Pick<PostJob, 'place'> & {
  /** How long the caller waits (milliseconds); default: until the end. A post that takes longer goes on as a job. */
  withinMs?: number | undefined;
  /** Whether the database remembers the post, so that a job that starts again does not post it twice. */
  isRemembered?: boolean | undefined;
};

type Way = {
  upstream: Upstream;
  /** Where the room is now; it may change while the bot runs. */
  address: Secret<WebhookAddress>;
  /** The pauses that rooms asked for, by the fingerprint of their addresses. `read`: those of other processes, too. */
  rests: {
    pauseOf(room: string): Pause | undefined;
    beginPause(room: string, pause: Pause): void;
    read(): Promise<void>;
  };
  steady: () => number;
};

type RoomParts = Way & {
  onOutcome(outcome: PostOutcome): void;
  queue: Pick<Queue<PostJob>, 'put' | 'find'>;
  timing: Pick<Timing, 'posts'>;
  onError(error: unknown): void;
};

const DONE: Delivery = { outcome: { kind: 'posted' }, isQueued: false };

/** Posts to the room, and tries again what the room did not take. */
export class Room {
  readonly #parts: RoomParts;
  readonly #posted = new LRUCache<string, true>({ max: 20_000 }); // A repeat comes within minutes. Some 4 MB.

  constructor(parts: RoomParts) {
    this.#parts = parts;
  }

  /**
   * Posts at once; what was posted under its id is not posted again, whatever its text. A post that the room does not take for
   * now, or not in time, becomes a job. Without a database nothing is queued, and nothing is promised.
   */
  async post(id: string, text: string, options: PostOptions = {}): Promise<Delivery> {
    const { place, withinMs, isRemembered } = options;
    const { queue, timing, onError } = this.#parts;
    if (this.#posted.has(id)) return DONE;
    const earlier = isRemembered && (await queue.find(id).catch(onError));
    if (earlier === 'done') return DONE;
    if (earlier) return { outcome: { kind: 'waiting' }, isQueued: earlier === 'open' };
    const job = { text, place, attempt: 0 };
    const sending = this.#send(id, text);
    if (withinMs !== undefined && !(await settlesWithin(sending, withinMs))) {
      const ending = sending.then((sent) => endOf(sent, job, 0, timing.posts));
      const queuing = this.#isQueued(queue.put(id, job, ending));
      const isQueued = (await settlesWithin(queuing, 500)) && (await queuing); // It is late already.
      return { outcome: { kind: 'under way' }, isQueued };
    }
    const sent = await sending;
    if (sent.kind === 'posted') {
      if (isRemembered) await queue.put(id, job, 'done').catch(onError); // A crash before this posts it twice.
      return DONE;
    }
    if (sent.final && place !== undefined) return { outcome: sent, isQueued: false }; // The caller reports it there.
    const end = endOf(sent, job, 0, timing.posts);
    const putting = end.kind === 'again' ? queue.put(id, end.data, end.afterMs) : queue.put(id, job);
    return { outcome: sent, isQueued: await this.#isQueued(putting) };
  }

  /** Tries again a post that has become a job. */
  async work({ key, data, ageMs }: Job<PostJob>): Promise<JobOutcome<PostJob>> {
    const { rests, timing } = this.#parts;
    await rests.read();
    return endOf(await this.#send(key, data.text), data, ageMs, timing.posts);
  }

  async #send(id: string, text: string): Promise<Sent> {
    const sent = await sendText(text, this.#parts);
    this.#parts.onOutcome(sent);
    if (sent.kind === 'posted') this.#posted.set(id, true);
    return sent;
  }

  async #isQueued(putting: ReturnType<RoomParts['queue']['put']>): Promise<boolean> {
    const put = await putting.catch(this.#parts.onError);
    return put !== undefined && put !== 'full';
  }
}

function endOf(sent: Sent, job: PostJob, ageMs: number, backoff: Backoff): JobOutcome<PostJob> {
  if (sent.kind === 'posted') return { kind: 'done' };
  const { left, retryAfterMs: askedMs } = sent;
  // A dead letter holds its job's data, so only a job of which the room took nothing can become a dead letter.
  if (left === job.text) {
    if (sent.final) return { kind: 'dead', reason: sent.kind };
    if (ageMs >= 24 * 3_600_000) return { kind: 'dead', reason: `${postName(sent)}, for 24 hours` };
  }
  // Only a person can switch a suspended webhook on again.
  const tries = sent.kind === 'suspended' ? Number.POSITIVE_INFINITY : job.attempt;
  // After a pause that the room asked for, posts go out at once.
  const afterMs = askedMs || backoffMs(tries, backoff, Math.random());
  const attempt = job.attempt + (askedMs > 0 ? 0 : 1);
  return { kind: 'again', data: { ...job, text: left, attempt }, afterMs };
}

/**
 * `left`: the part of the text that the room has not taken, to be sent again. `retryAfterMs`: for how long the room wants to be
 * left in peace, else 0.
 */
type Sent = PostOutcome & { left: string; retryAfterMs: number };

/** The pause after a 429 without `Retry-After`. The product restarts its penalty when a post comes within it. */
const UNSAID_MS = 30_000;

/**
 * Posts a text to the room, in the webhook's form. Splits a text longer than the room takes between lines, and stops at the first post
 * that fails. Makes no post while the room wants to be left in peace.
 */
export async function sendText(text: string, { upstream, address, rests, steady }: Way): Promise<Sent> {
  const { base, form, token } = address.reveal();
  const adapter = FORMS[form];
  const url = adapter.target(base, token.reveal());
  const room = hash('sha256', url.href).slice(0, 8); // Too short to try tokens on.
  let left = text;
  do {
    const { status = 0, until = 0 } = rests.pauseOf(room) ?? {};
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
