import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Job, JobOutcome, Queue, Work } from '../domain/jobs.ts';
import { postName } from '../domain/outcome.ts';
import { type Backoff, backoffMs, endsWithin, type Timing } from '../domain/timing.ts';
import type { PostFault, PostOutcome, PostToRoom } from './sender.ts';

/**
 * A post that waits in the database, or the part of it that is left to send. `place`: where to tell that the room never took it;
 * nothing is read of it here.
 */
export const postJobSchema = z.object({
  text: z.string(),
  place: z.unknown().optional(),
  /** The question's, if the post's id does not tell it. */
  number: z.number().optional(),
  attempt: z.number(),
});
export type PostJob = z.infer<typeof postJobSchema>;

/**
 * `waiting`: as a job, because the room did not take it at an earlier try. `under way`: the caller waited no longer; `ending`
 * says what became of it. `partly`: the room took a part. `kept`: as a job. `post`: the post behind which it stands, and which has
 * taken it along if it is kept.
 */
export type Delivery = {
  outcome: PostOutcome | { kind: 'waiting' } | { kind: 'under way' };
  partly: boolean;
  kept: boolean;
  post?: string;
  ending?: Promise<Delivery>;
};

type PostOptions = Partial<Pick<PostJob, 'place' | 'number'>> & {
  /** Whether someone will be told that trying again cannot help (the default). If not, the post ends among the dead letters. */
  isTold?: boolean;
  /** How long the caller waits (milliseconds); default: until the end. A post that takes longer goes on, and nobody is told. */
  withinMs?: number | undefined;
  /** The caller is a job, which starts again if its process dies: the database knows what was posted under this id. */
  isForJob?: boolean | undefined;
  /** The post that this one must not overtake: while that one waits, it takes this text along, or refuses it. */
  afterPostId?: string | undefined;
};

export type Room = {
  /**
   * Posts at once; what was posted under its id is not posted again, whatever its text. A post that the room does not take for
   * now, or not in time, becomes a job. Without a database nothing is kept, and nothing is promised.
   */
  post(id: string, text: string, options?: PostOptions): Promise<Delivery>;
  /** Tries a post that became a job again. */
  work: Work<PostJob>;
};

type RoomOptions = {
  send: PostToRoom;
  /** Called with the outcome of each post. */
  onOutcome(outcome: PostOutcome): void;
  queue: Pick<Queue<PostJob>, 'put' | 'find' | 'change'>;
  /** Reads the room's pause, which another process may have begun. */
  readPause(): Promise<void>;
  timing: Pick<Timing, 'posts'>;
  onError(error: unknown): void;
};

/** A repeat of a message comes within minutes. Some 4 MB. */
const POSTED = { max: 20_000 };
/** How long a post that is late waits for the database to take it. */
const KEEP_MS = 500;

const DONE = { outcome: { kind: 'posted' }, partly: false, kept: false } as const;
const WAITING = { outcome: { kind: 'waiting' }, partly: false, kept: true } as const;

export function createRoom(options: RoomOptions): Room {
  const { send, onOutcome, queue, readPause, timing, onError } = options;
  const posted = new LRUCache<string, true>(POSTED);
  let latest: Promise<unknown> = Promise.resolve();

  async function sendOnce(id: string, text: string) {
    const sent = await send(text);
    onOutcome(sent);
    if (sent.kind === 'posted') posted.set(id, true);
    return sent;
  }

  async function tryAgain({ data, ageMs }: Job<PostJob>): Promise<JobOutcome<PostJob>> {
    await readPause().catch(onError);
    const sent = await send(data.text);
    onOutcome(sent);
    return outcomeOf(sent, data, ageMs, timing.posts);
  }

  return {
    async post(id, text, { place, number, isTold = true, withinMs, isForJob, afterPostId } = {}) {
      if (posted.has(id)) return DONE;
      const earlier = isForJob && (await findEarlier(id, text, afterPostId, options));
      if (earlier) return earlier;
      const job = { text, place, number, attempt: 0 };
      const sending = sendOnce(id, text);
      /** A crash between the post and this posts it twice. */
      const keep = () => {
        const settling = sending.then((sent) => outcomeOf(sent, job, 0, timing.posts));
        return queue.put(id, job, settling).then((put) => put !== 'full', onError);
      };
      if (withinMs !== undefined && !(await endsWithin(sending, withinMs))) {
        const keeping = keep();
        const kept = (await endsWithin(keeping, KEEP_MS)) && (await keeping) === true;
        const ending = sending.then((sent) => deliveryOf(sent, text, kept));
        return { outcome: { kind: 'under way' }, partly: false, kept, ending };
      }
      const sent = await sending;
      const isOver = sent.kind === 'posted' ? !isForJob : sent.final && isTold;
      return deliveryOf(sent, text, !isOver && (await keep()) === true);
    },
    /** One by one, so that the first answer that asks for a pause spares the room the others. */
    work(job) {
      const trying = latest.then(() => tryAgain(job));
      latest = trying.catch(() => {}); // Its own caller sees to it.
      return trying;
    },
  };
}

/** Finds a post that a job made before it started again, or the post that this one must not overtake. */
async function findEarlier(
  id: string,
  text: string,
  afterPostId: string | undefined,
  { queue, onError }: RoomOptions,
): Promise<Delivery | undefined> {
  const known = await queue.find(id).catch(onError);
  if (known) return known.state === 'open' ? WAITING : DONE;
  if (afterPostId === undefined) return undefined;
  const before = await queue.find(afterPostId).catch(onError);
  if (before?.state !== 'open') return undefined;
  const { data } = before;
  if (data === undefined) return { ...WAITING, post: afterPostId, kept: false };
  const whole = data.text.endsWith(text) ? data.text : `${data.text}\n\n${text}`; // A job that starts again did so before.
  const isTaken = await queue.change(afterPostId, { ...data, text: whole }).catch(onError);
  return { ...WAITING, post: afterPostId, kept: isTaken === true };
}

type Sent = Awaited<ReturnType<PostToRoom>>;

function deliveryOf(sent: Sent, text: string, kept: boolean): Delivery {
  if (sent.kind === 'posted') return DONE;
  const { left, ...outcome } = sent;
  return { outcome, partly: left !== text, kept };
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
  const data = { ...job, text: left, attempt: job.attempt + 1 };
  return { kind: 'again', data, afterMs: waitFor(sent, job.attempt, backoff) };
}

/** A suspended webhook is tried at the longest intervals: only a person can switch it on again. */
function waitFor(fault: PostFault, attempt: number, backoff: Backoff): number {
  const tries = fault.kind === 'suspended' ? Number.POSITIVE_INFINITY : attempt;
  const askedMs = fault.kind === 'failed' ? fault.retryAfterMs : 0;
  return Math.max(askedMs, backoffMs(tries, backoff, Math.random()));
}
