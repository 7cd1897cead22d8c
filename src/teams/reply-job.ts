import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ResourceResponse, TurnContext } from 'botbuilder';
import type { Logger } from 'pino';
import { z } from 'zod';
import {
  isTargetedPlace,
  messageSchema,
  type Place,
  placeForAll,
  placeSchema,
} from '../../dialogs/format/message.ts';
import type { JobOutcome, Queue } from '../domain/jobs.ts';
import { type Backoff, backoffMs } from '../domain/timing.ts';
import { send } from './adapter.ts';
import { DeliveryError } from './connector.ts';
import { activityOf, smallerThan } from './message-activity.ts';

/** A reply that waits in the database. Times are milliseconds since 1970. */
export const replyJobSchema = messageSchema.extend({
  place: placeSchema,
  firstAt: z.number(),
  attempt: z.number(),
});
export type ReplyJob = z.infer<typeof replyJobSchema>;

export type RetryOptions = {
  /** Speaks at a place after its turn. */
  speakAt<T>(place: Place, speak: (context: TurnContext) => Promise<T>): Promise<T>;
  /** Where replies wait that the channel does not take. */
  queue: Pick<Queue<ReplyJob>, 'put'>;
  now: () => number;
  /** The pauses between tries of a reply that was kept. */
  backoff: Backoff;
  log: Logger;
};

const KEEP_MS = 24 * 3_600_000;
/** Between the pieces of a reply that was too large. */
const IN_ORDER_MS = 2000;

/** One try of a reply that was kept. */
export async function retryReply(job: ReplyJob, options: RetryOptions): Promise<JobOutcome<ReplyJob>> {
  const { place, firstAt, attempt, ...piece } = job;
  const { speakAt, queue, now, backoff, log } = options;
  const outcome = await speakAt(place, (context) =>
    sendPatiently(() => send(context, activityOf(piece, context.activity)), 0, now),
  );
  if (isRefusedAsTargeted(outcome, isTargetedPlace(place)))
    return retryReply({ ...ASK_ALONE, place: placeForAll(place), firstAt, attempt }, options);
  if (outcome.kind === 'gone') log.warn('a kept reply has no conversation to go to any more');
  if (outcome.kind !== 'refused') return { kind: 'done' };
  const { reason, retryAfterMs: askedMs } = outcome.error;
  if (now() - firstAt >= KEEP_MS) return { kind: 'dead', reason: String(reason) };
  const next = { place, firstAt, attempt: attempt + 1 };
  if (reason !== 400 && reason !== 413) {
    const afterMs = Math.max(askedMs, backoffMs(attempt, backoff, Math.random()));
    return { kind: 'again', data: { ...piece, ...next }, afterMs };
  }
  const [first, ...others] = smallerThan(piece);
  if (first === undefined) return { kind: 'dead', reason: `the channel refused it with status ${reason}` };
  for (const [index, other] of others.entries())
    await queue.put(randomUUID(), { ...other, ...next }, (index + 1) * IN_ORDER_MS);
  return { kind: 'again', data: { ...first, ...next }, afterMs: 0 };
}

/** Said to everyone in place of an answer for one person. */
export const ASK_ALONE = {
  text: 'I cannot answer one person alone in this conversation. Please ask me in a personal chat.',
};

/** Teams answers 403 where a tenant or a conversation takes no targeted messages. */
export function isRefusedAsTargeted(outcome: ReplyOutcome, isTargeted: boolean): boolean {
  return isTargeted && outcome.kind === 'gone' && outcome.error.reason === 403;
}

/** What became of a reply: taken, impossible for ever (the conversation is gone), or refused until the time was over. */
type ReplyOutcome =
  | { kind: 'sent'; id: string | undefined }
  | { kind: 'gone' | 'refused'; error: DeliveryError };

const BACKOFF = { firstMs: 300, mostMs: 4000 };

/** Sends a reply, and again while the channel refuses it in a passing way and there is time (until, by the clock `now`). */
export async function sendPatiently(
  send: () => Promise<unknown>,
  until: number,
  now: () => number,
): Promise<ReplyOutcome> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { id } = Object(await send()) as Partial<ResourceResponse>;
      return { kind: 'sent', id: id || undefined };
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      if (error.isGone) return { kind: 'gone', error };
      const waitMs = Math.max(error.retryAfterMs, backoffMs(attempt, BACKOFF, Math.random()));
      if (!isPassing(error) || now() + waitMs > until) return { kind: 'refused', error };
      await delay(waitMs);
    }
  }
}

/** Too many messages, a conflict of the conversation (412), an expired token, a fault of the channel, or no answer at all. */
function isPassing({ reason }: DeliveryError): boolean {
  return typeof reason === 'string' || [401, 412, 429].includes(reason) || reason >= 500;
}
