import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { JobOutcome, Queue } from '../domain/jobs.ts';
import { type NoAnswer, postName } from '../domain/outcome.ts';
import type { WebhookAddress, WebhookForm } from '../domain/secret.ts';
import { parseJson, takePiece } from '../domain/text.ts';
import { type Backoff, backoffMs, type Timing } from '../domain/timing.ts';
import { type HttpOutcome, readRetryAfter, targetUnder, type Upstream } from '../http.ts';
import { legacy } from './legacy.ts';
import { v2 } from './v2.ts';

/**
 * A post that waits in the database, or the part of it that is left to send. Times are milliseconds since 1970. `place`: where
 * to tell that the room never took it; nothing is read of it here.
 */
export const postJobSchema = z.object({
  text: z.string(),
  place: z.unknown().optional(),
  /** The question's, if the post's id does not tell it. */
  number: z.number().optional(),
  firstAt: z.number(),
  attempt: z.number(),
});
export type PostJob = z.infer<typeof postJobSchema>;

/**
 * `waiting`: as a job, because the room did not take it at an earlier try. `partly`: the room took a part. `kept`: as a job.
 * `post`: the post behind which it stands, and which has taken it along if it is kept.
 */
export type Delivery = {
  outcome: PostOutcome | { kind: 'waiting' };
  partly: boolean;
  kept: boolean;
  post?: string;
};

/** A post by its id. */
export type Post = { id: string } & Pick<PostJob, 'text' | 'place' | 'number'>;

/**
 * Posts at once; what was posted under its id is not posted again, whatever its text. A post that fails in a passing way is
 * kept as a job.
 * @param isTold whether someone will be told that trying again cannot help; if not, the post ends among the dead letters
 * @param after the post that this one must not overtake: while that one waits, it takes this text along, or refuses it
 */
export type Deliver = (post: Post, isTold?: () => boolean, after?: string) => Promise<Delivery>;

/** Keeps a post that is under way in the database, in case this process dies. False if the database did not take the post. */
export type HandOver = (post: Post, delivering: Promise<Delivery>) => Promise<boolean>;

type DeliveryOptions = {
  post: PostToRoom;
  /** Called with the outcome of each post. */
  onOutcome(outcome: PostOutcome): void;
  queue: Pick<Queue<PostJob>, 'put' | 'find' | 'change' | 'progress' | 'note' | 'settle'>;
  now: () => number;
  onError(error: unknown): void;
  timing: Pick<Timing, 'posts'>;
};

const POST_FOR_MS = 24 * 3_600_000;
/** A repeat of a message comes within minutes. Some 4 MB. */
const POSTED = { max: 20_000 };
/** Longer than a post takes: a post under way is tried by a worker only if this process has died. */
const HOLD_MS = 30_000;

const DONE = { outcome: { kind: 'posted' }, partly: false, kept: false } as const;
const WAITING = { outcome: { kind: 'waiting' }, partly: false, kept: true } as const;

export type Room = ReturnType<typeof createDelivery>;

export function createDelivery(options: DeliveryOptions) {
  const { post: send, onOutcome, queue, now, onError, timing } = options;
  const posted = new LRUCache<string, true>(POSTED);

  const deliver: Deliver = async (post, isTold = () => true) => {
    if (posted.has(post.id)) return DONE;
    const outcome = await send(post.text);
    onOutcome(outcome);
    if (outcome.kind === 'posted') {
      posted.set(post.id, true);
      return DONE;
    }
    const { left, final } = outcome;
    const rest = { ...post, text: left };
    const kept = !(final && isTold()) && (await keep(rest, waitFor(outcome, 0, timing.posts)));
    return { outcome, partly: left !== post.text, kept };
  };

  /** Without a database nothing is kept, and nothing is promised. */
  async function keep({ id, ...post }: Post, afterMs: number): Promise<boolean> {
    const put = await queue.put(id, { ...post, firstAt: now(), attempt: 1 }, afterMs).catch(onError);
    return put === 'put' || put === 'known';
  }

  /** Lets a post that waits take a text along, for a day from now. False if a worker has taken that post, or it is gone. */
  async function append(id: string, text: string): Promise<boolean> {
    const job = await queue.find(id).catch(onError);
    if (!job) return false;
    const whole = job.text.endsWith(text) ? job.text : `${job.text}\n\n${text}`; // A job that starts again did so before.
    return (await queue.change(id, { ...job, text: whole, firstAt: now() }).catch(onError)) === true;
  }

  /** Delivers for jobs, which start again if their process dies. A crash between the post and its note posts it twice. */
  const deliverForJobs: Deliver = async (post, isTold, after) => {
    const { id, text } = post;
    const progress = await queue.progress(id).catch(onError);
    if (progress === 'waiting') return WAITING;
    if (progress === 'done' || progress === 'dead') return DONE;
    if (after !== undefined && (await queue.progress(after).catch(onError)) === 'waiting')
      return { ...WAITING, post: after, kept: await append(after, text) };
    const delivery = await deliver(post, isTold);
    if (delivery.outcome.kind === 'posted')
      await queue.note(id, { text, firstAt: now(), attempt: 0 }).catch(onError);
    return delivery;
  };

  const handOver: HandOver = async (post, delivering) => {
    const isKept = await keep(post, HOLD_MS);
    if (isKept)
      delivering
        .then(({ outcome }) => (outcome.kind === 'posted' ? queue.settle(post.id) : undefined))
        .catch(onError);
    return isKept;
  };

  return { deliver, deliverForJobs, handOver, retryPost: (job: PostJob) => retryPost(job, options) };
}

async function retryPost(job: PostJob, options: DeliveryOptions): Promise<JobOutcome<PostJob>> {
  const { post, onOutcome, now, timing } = options;
  const outcome = await post(job.text);
  onOutcome(outcome);
  if (outcome.kind === 'posted') return { kind: 'done' };
  const { left } = outcome;
  // A dead letter holds its job's data, so only a job of which the room took nothing can become a dead letter.
  if (left === job.text) {
    if (outcome.final) return { kind: 'dead', reason: outcome.kind };
    if (now() - job.firstAt >= POST_FOR_MS)
      return { kind: 'dead', reason: `${postName(outcome)}, for 24 hours` };
  }
  const data = { ...job, text: left, attempt: job.attempt + 1 };
  return { kind: 'again', data, afterMs: waitFor(outcome, job.attempt, timing.posts) };
}

function waitFor(outcome: PostFault, attempt: number, backoff: Backoff): number {
  const asked = outcome.kind === 'failed' ? outcome.retryAfterMs : 0;
  return Math.max(asked, backoffMs(attempt, backoff, Math.random()));
}

/** Each form's path from the base address on, before the token, and the longest text of one message, in UTF-16 units. */
const FORMS: Readonly<Record<WebhookForm, typeof v2>> = { v2, legacy };

/** The outcome of a post. `final`: trying again cannot help. */
export type PostOutcome =
  | { kind: 'posted' }
  | { kind: 'not found' | 'suspended'; final: true }
  | { kind: 'rejected'; status: number; final: true }
  /** The body says error, though the status is a 2xx. */
  | { kind: 'error verdict'; final: false }
  /** `retryAfterMs`: how long the webhook asked to wait, else 0. */
  | { kind: 'failed'; status: number; retryAfterMs: number; final: false }
  /** If an answer came, but not whole, its verdict is unknown. */
  | (NoAnswer & { final: false });

export type PostFault = Exclude<PostOutcome, { kind: 'posted' }>;

/** Posts a text to the room. `left`: the part of the text that the room has not taken, to be sent again. */
export type PostToRoom = (text: string) => Promise<{ kind: 'posted' } | (PostFault & { left: string })>;

type SenderOptions = { upstream: Upstream; address: () => WebhookAddress; now: () => number };

/**
 * The one sender for both forms. Splits a text longer than the room takes between lines, and stops at the first post that fails.
 * Makes no post while the room asks to wait.
 * @param options.address where the room is now; it may change while the bot runs
 * @param options.now a clock that is never set back (milliseconds)
 */
export function createSender({ upstream, address, now }: SenderOptions): PostToRoom {
  let rest: { href: string; until: number; fault: Extract<PostFault, { kind: 'failed' }> } | undefined;
  return async (text) => {
    const { base, form, token } = address();
    const { path, maxCharacters } = FORMS[form];
    const url = targetUnder(base, path + token.reveal());
    const restMs = rest?.href === url.href ? rest.until - now() : 0;
    if (rest && restMs > 0) return { ...rest.fault, retryAfterMs: restMs, left: text };
    let left = text;
    do {
      const { piece, left: after } = takePiece(left, maxCharacters);
      const outcome = await upstream.call({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: piece }),
      });
      const verdict = readPostOutcome(outcome);
      if (verdict.kind === 'failed')
        rest = { href: url.href, until: now() + verdict.retryAfterMs, fault: verdict };
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
  if (verdict === 'suspended' && status < 500) return { kind: 'suspended', final: true };
  if (verdict === 'invalid' && status < 300) return { kind: 'rejected', status, final: true };
  if (status >= 400 && status < 500 && !PASSING.has(status)) return { kind: 'rejected', status, final: true };
  if (status < 200 || status >= 300)
    return { kind: 'failed', status, retryAfterMs: readRetryAfter(headers), final: false };
  return verdict === 'error' ? { kind: 'error verdict', final: false } : { kind: 'posted' };
}

/** Reads a JSON object whose `status` is `error` or whose `error` is truthy; returns undefined for any other body. */
function readErrorVerdict(text: string): 'error' | 'not found' | 'suspended' | 'invalid' | undefined {
  const { status, error, message, validation } = Object(parseJson(text)) as Record<string, unknown>;
  if (!error && !(typeof status === 'string' && /^error$/i.test(status))) return undefined;
  const words = JSON.stringify([error, message]);
  if (/not\s*found/i.test(words)) return 'not found';
  if (/suspended/i.test(words)) return 'suspended';
  return validation ? 'invalid' : 'error';
}
