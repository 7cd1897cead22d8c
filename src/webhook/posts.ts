import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Job, JobOutcome, Queue } from '../domain/jobs.ts';
import { postName } from '../domain/outcome.ts';
import { type Backoff, backoffMs, settlesWithin, type Timing } from '../domain/timing.ts';
import { type PostOutcome, type SenderOptions, type Sent, sendText } from './sender.ts';

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

type RoomOptions = SenderOptions & {
  onOutcome(outcome: PostOutcome): void;
  queue: Pick<Queue<PostJob>, 'put' | 'find'>;
  /** `read`: reads the room's pause, which another process may have begun. */
  rests: { read(): Promise<void> };
  timing: Pick<Timing, 'posts'>;
  onError(error: unknown): void;
};

/** How long a post that is late waits for the database to take it. */
const KEEP_MS = 500;

const DONE: Delivery = { outcome: { kind: 'posted' }, isQueued: false };

/** Posts to the room, and tries again what the room did not take. */
export class Room {
  readonly #options: RoomOptions;
  readonly #posted = new LRUCache<string, true>({ max: 20_000 }); // A repeat comes within minutes. Some 4 MB.

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
    if (earlier === 'done') return DONE;
    if (earlier) return { outcome: { kind: 'waiting' }, isQueued: earlier === 'open' };
    const job = { text, place, attempt: 0 };
    const sending = this.#send(id, text);
    if (withinMs !== undefined && !(await settlesWithin(sending, withinMs))) {
      const ending = sending.then((sent) => endOf(sent, job, 0, timing.posts));
      const keeping = this.#isKept(queue.put(id, job, ending));
      const isQueued = (await settlesWithin(keeping, KEEP_MS)) && (await keeping);
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
    return { outcome: sent, isQueued: await this.#isKept(putting) };
  }

  /** Tries again a post that has become a job. */
  async work({ key, data, ageMs }: Job<PostJob>): Promise<JobOutcome<PostJob>> {
    const { rests, timing } = this.#options;
    await rests.read();
    return endOf(await this.#send(key, data.text), data, ageMs, timing.posts);
  }

  async #send(id: string, text: string): Promise<Sent> {
    const sent = await sendText(text, this.#options);
    this.#options.onOutcome(sent);
    if (sent.kind === 'posted') this.#posted.set(id, true);
    return sent;
  }

  async #isKept(putting: ReturnType<RoomOptions['queue']['put']>): Promise<boolean> {
    const put = await putting.catch(this.#options.onError);
    return put !== undefined && put !== 'full';
  }
}

const POST_FOR_MS = 24 * 3_600_000;

function endOf(sent: Sent, job: PostJob, ageMs: number, backoff: Backoff): JobOutcome<PostJob> {
  if (sent.kind === 'posted') return { kind: 'done' };
  const { left, retryAfterMs: askedMs } = sent;
  // A dead letter holds its job's data, so only a job of which the room took nothing can become a dead letter.
  if (left === job.text) {
    if (sent.final) return { kind: 'dead', reason: sent.kind };
    if (ageMs >= POST_FOR_MS) return { kind: 'dead', reason: `${postName(sent)}, for 24 hours` };
  }
  // Only a person can switch a suspended webhook on again.
  const tries = sent.kind === 'suspended' ? Number.POSITIVE_INFINITY : job.attempt;
  // After a pause that the room asked for, posts go out at once, and so in their order.
  const afterMs = askedMs || backoffMs(tries, backoff, Math.random());
  const attempt = job.attempt + (askedMs > 0 ? 0 : 1);
  return { kind: 'again', data: { ...job, text: left, attempt }, afterMs };
}
