import { randomUUID } from 'node:crypto';
import type { TurnContext } from 'botbuilder';
import type { Logger } from 'pino';
import { z } from 'zod';
import { isTargetedPlace, messageSchema, type Place, placeSchema } from '../../../dialogs/format/message.ts';
import type { JobOutcome, Queue } from '../../domain/jobs.ts';
import { type Backoff, backoffMs } from '../../domain/timing.ts';
import { send } from './context.ts';
import { activityOf, smallerThan } from './message-activity.ts';
import { type ReplyOutcome, sendPatiently } from './send-patiently.ts';

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
  /** Where a targeted answer goes that its conversation refuses; undefined: its asker cannot be reached alone. */
  personalChatOf(place: Place): Promise<Place | undefined>;
  now: () => number;
  /** The pauses between tries of a reply that was kept. */
  backoff: Backoff;
  log: Logger;
};

const KEEP_MS = 24 * 3_600_000;
/** Between the pieces of a reply that was too large. */
const IN_ORDER_MS = 2000;

/**
 * One try of a reply that was kept. A targeted reply never goes to everyone: if its conversation refuses the reply, the reply
 * goes to the asker's personal chat, or becomes a dead job.
 * @param isMoved whether `place` is that personal chat
 */
export async function retryReply(
  job: ReplyJob,
  options: RetryOptions,
  isMoved = false,
): Promise<JobOutcome<ReplyJob>> {
  const { place, firstAt, attempt, ...piece } = job;
  const { speakAt, queue, personalChatOf, now, backoff, log } = options;
  const outcome = await speakAt(place, (context) =>
    sendPatiently(() => send(context, activityOf(piece, context.activity)), 0, now),
  );
  if (isMoved ? outcome.kind === 'gone' : isRefusedAsTargeted(outcome, isTargetedPlace(place))) {
    const chat = isMoved ? undefined : await personalChatOf(place);
    return chat ? retryReply({ ...job, place: chat }, options, true) : { kind: 'dead', reason: NOT_TARGETED };
  }
  if (outcome.kind === 'gone') log.warn('a kept reply has no conversation to go to any more');
  if (outcome.kind !== 'refused') return { kind: 'done' };
  const { reason, retryAfterMs: askedMs } = outcome.error;
  if (now() - firstAt >= KEEP_MS) return { kind: 'dead', reason: String(reason) };
  const next = { place, firstAt, attempt: attempt + 1 };
  if (reason !== 400 && reason !== 413) {
    const afterMs = Math.max(askedMs, backoffMs(attempt, backoff));
    return { kind: 'again', data: { ...piece, ...next }, afterMs };
  }
  const [first, ...others] = smallerThan(piece);
  if (first === undefined) return { kind: 'dead', reason: `the channel refused it with status ${reason}` };
  for (const [index, other] of others.entries())
    await queue.put(randomUUID(), { ...other, ...next }, (index + 1) * IN_ORDER_MS);
  return { kind: 'again', data: { ...first, ...next }, afterMs: 0 };
}

const NOT_TARGETED = 'the conversation takes no private answers, and the asker has no personal chat';

/** Teams answers 403 where a tenant or a conversation takes no targeted messages. */
export function isRefusedAsTargeted(outcome: ReplyOutcome<unknown>, isTargeted: boolean): boolean {
  return isTargeted && outcome.kind === 'gone' && outcome.error.reason === 403;
}
