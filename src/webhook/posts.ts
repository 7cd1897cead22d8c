import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Job, JobOutcome, Queue } from '../domain/jobs.ts';
import { type NoAnswer, postName } from '../domain/outcome.ts';
import type { WebhookAddress } from '../domain/secret.ts';
import { takePiece } from '../domain/text.ts';
import { type Backoff, backoffMs, settlesWithin, type Timing } from '../domain/timing.ts';
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

/**
 * `waiting`: as a job, because the room did not take it at an earlier try. `under way`: the caller waited no longer; `ending` is
 * its end. `partly`: the room took a part. `isQueued`: as a job.
 */
export type Delivery = {
  outcome: PostOutcome | { kind: 'waiting' } | { kind: 'under way' };
  partly: boolean;
  isQueued: boolean;
  ending?: Promise<Delivery>;
};

type PostOptions = Pick<PostJob, 'place'> & {
  /** How long the caller waits (milliseconds); default: until the end. A post that takes longer goes on as a job. */
  withinMs?: number | undefined;
  /** Whether the database remembers the post, so that a job that starts again does not post it twice. */
  isRemembered?: boolean | undefined;
};

type RoomOptions = SenderOptions & {
  /** Called with the outcome of each post. */
  onOutcome(outcome: PostOutcome): void;
  queue: Pick<Queue<PostJob>, 'put' | 'find'>;
  /** `read`: reads the room's pause, which another process may have begun. @throws StoreClosedError if no job may begin now */
  rests: { read(): Promise<void> };
  timing: Pick<Timing, 'posts'>;
  onError(error: unknown): void;
};

/** A repeat of a message comes within minutes. Some 4 MB. */
const POSTED = { max: 20_000 };
/** How long a post that is late waits for the database to take it. */
const KEEP_MS = 500;

const DONE: Delivery = { outcome: { kind: 'posted' }, partly: false, isQueued: false };
const WAITING: Delivery = { outcome: { kind: 'waiting' }, partly: false, isQueued: true };

/** Posts to the room, and tries again what the room did not take. */
export class Room {
  readonly #options: RoomOptions;
  readonly #posted = new LRUCache<string, true>(POSTED);
  #latest: Promise<unknown> = Promise.resolve();

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /**
   * Posts at once; what was posted under its id is not posted again, whatever its text. A post that the room does not take for
   * now, or not in time, becomes a job. Without a database nothing is queued, and nothing is promised.
   */
  async post(id: string, text: string, options: PostOptions = {}): Promise<Delivery> {
    const { place, withinMs, isRemembered } = options;
    const { queue, timing, onError } = this.#options;
    if (this.#posted.has(id)) return DONE;
    const earlier = isRemembered && (await queue.find(id).catch(onError));
    if (earlier) return earlier === 'done' ? DONE : { ...WAITING, isQueued: earlier === 'open' };
    const sending = this.#send(id, text);
    const job = { text, place, attempt: 0 };
    const endingOf = (sent: Sent) => outcomeOf(sent, job, 0, timing.posts);
    if (withinMs !== undefined && !(await settlesWithin(sending, withinMs))) {
      const keeping = this.#keep(id, job, sending.then(endingOf));
      const isQueued = (await settlesWithin(keeping, KEEP_MS)) && (await keeping);
      const ending = sending.then((sent) => deliveryOf(sent, text, isQueued));
      return { outcome: { kind: 'under way' }, partly: false, isQueued, ending };
    }
    const sent = await sending;
    if (sent.kind === 'posted') {
      if (isRemembered) await queue.put(id, job, 'done').catch(onError); // A crash before this posts it twice.
      return DONE;
    }
    const isOver = sent.final && place !== undefined; // The caller reports it there.
    return deliveryOf(sent, text, !isOver && (await this.#keep(id, job, endingOf(sent))));
  }

  /** Tries again a post that has become a job. One by one: the first answer that asks for a pause spares the room the others. */
  work({ key, data, ageMs }: Job<PostJob>): Promise<JobOutcome<PostJob>> {
    const { rests, timing } = this.#options;
    const trying = this.#latest.then(async () => {
      await rests.read();
      return outcomeOf(await this.#send(key, data.text), data, ageMs, timing.posts);
    });
    this.#latest = trying.catch(() => {}); // Its own caller sees to it.
    return trying;
  }

  async #send(id: string, text: string): Promise<Sent> {
    const sent = await sendText(text, this.#options);
    this.#options.onOutcome(sent);
    if (sent.kind === 'posted') this.#posted.set(id, true);
    return sent;
  }

  async #keep(id: string, job: PostJob, ending: Ending | Promise<Ending>): Promise<boolean> {
    const { queue, onError } = this.#options;
    const isAgain = 'kind' in ending && ending.kind === 'again';
    const putting = isAgain
      ? queue.put(id, ending.data, ending.afterMs) // Needs no workers, so that it waits for a database that opens.
      : queue.put(id, job, Promise.resolve(ending));
    const put = await putting.catch(onError);
    return put !== undefined && put !== 'full';
  }
}

type Ending = JobOutcome<PostJob>;

function deliveryOf(sent: Sent, text: string, isQueued: boolean): Delivery {
  if (sent.kind === 'posted') return DONE;
  const { left, ...outcome } = sent;
  return { outcome, partly: left !== text, isQueued };
}

const POST_FOR_MS = 24 * 3_600_000;

function outcomeOf(sent: Sent, job: PostJob, ageMs: number, backoff: Backoff): JobOutcome<PostJob> {
  if (sent.kind === 'posted') return { kind: 'done' };
  const { left } = sent;
  // A dead letter holds its job's data, so only a job of which the room took nothing can become a dead letter.
  if (left === job.text) {
    if (sent.final) return { kind: 'dead', reason: sent.kind };
    if (ageMs >= POST_FOR_MS) return { kind: 'dead', reason: `${postName(sent)}, for 24 hours` };
  }
  const data = { ...job, text: left };
  // After a pause that the room asked for, posts go out at once, and so in their order.
  if (sent.kind === 'failed' && sent.retryAfterMs > 0)
    return { kind: 'again', data, afterMs: sent.retryAfterMs };
  // Only a person can switch a suspended webhook on again.
  const tries = sent.kind === 'suspended' ? Number.POSITIVE_INFINITY : job.attempt;
  const afterMs = backoffMs(tries, backoff, Math.random());
  return { kind: 'again', data: { ...data, attempt: job.attempt + 1 }, afterMs };
}

/** The outcome of a post. `retryAfterMs`: for how long the room wants to be left in peace, else 0. */
export type PostOutcome =
  | Exclude<Verdict, { kind: 'failed' }>
  | (Extract<Verdict, { kind: 'failed' }> & { retryAfterMs: number })
  /** If an answer came, but not whole, its verdict is unknown. */
  | (NoAnswer & { final: false });

export type PostFault = Exclude<PostOutcome, { kind: 'posted' }>;

/** `left`: the part of the text that the room has not taken, to be sent again. */
export type Sent = { kind: 'posted' } | (PostFault & { left: string });

/** The status of the answer that asked for a pause, and the pause's end by the steady clock. */
type Pause = { status: number; until: number };

export type SenderOptions = {
  upstream: Upstream;
  address: () => WebhookAddress;
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
  const { base, form, token } = address();
  const adapter = FORMS[form];
  const url = adapter.target(base, token.reveal());
  const room = hash('sha256', url.href).slice(0, 8); // Too short to try tokens on.
  let left = text;
  do {
    const { status = 0, until = 0 } = rests.pauses.get(room) ?? {};
    const retryAfterMs = until - steady();
    if (retryAfterMs > 0) return { kind: 'failed', status, retryAfterMs, final: false, left };
    const { piece, left: after } = takePiece(left, adapter.maxCharacters);
    const headers = { 'content-type': 'application/json' };
    const answer = await upstream.call({ method: 'POST', url, headers, body: adapter.body(piece) });
    if (answer.kind === 'no answer') return { ...answer, final: false, left };
    const verdict = adapter.read(answer.status, answer.text);
    if (verdict.kind !== 'posted') {
      const askedMs = readRetryAfter(answer.headers) || (answer.status === 429 ? UNSAID_MS : 0);
      if (askedMs > 0) rests.beginPause(room, { status: answer.status, until: steady() + askedMs });
      return { ...(verdict.kind === 'failed' ? { ...verdict, retryAfterMs: askedMs } : verdict), left };
    }
    left = after;
  } while (left !== '');
  return { kind: 'posted' };
}
