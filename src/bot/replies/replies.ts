import { randomUUID } from 'node:crypto';
import type { TurnContext } from 'botbuilder';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type Message, messageSchema, type Place, placeSchema } from '../../../dialogs/format/message.ts';
import { logFault } from '../../store/away.ts';
import type { Queue } from '../../store/queues.ts';
import type { JobOutcome } from '../../store/workers.ts';
import { backoffMs } from '../../time/backoff.ts';
import { DeliveryError } from './connector.ts';
import { arrivalOf, send } from './context.ts';
import { activityOf, piecesFor, smallerThan } from './message-activity.ts';
import { placeOf } from './place.ts';
import { sendPatiently } from './send-patiently.ts';

/** A reply that waits in the database. Times are milliseconds since 1970. */
export const replyJobSchema = messageSchema.extend({
  place: placeSchema,
  firstAt: z.number(),
  attempt: z.number(),
});
export type ReplyJob = z.infer<typeof replyJobSchema>;

/** What the bot says, in a turn (by its context) or after it (at its place). */
export type Replies = {
  /**
   * Says a message. What the channel does not take within the patience is kept as a job.
   * @throws DeliveryError where it could neither be said nor kept, or its conversation is gone
   */
  say(context: TurnContext, message: Message): Promise<void>;
  /** Says a message that is of use only now; gives its id, undefined where the channel did not take it. */
  sayOnce(context: TurnContext, message: Message): Promise<string | undefined>;
  /** Puts a message in the place of one of the bot's. False where the channel does not let it. */
  replace(context: TurnContext, messageId: string, message: Message): Promise<boolean>;
  /** Says a message after its turn; gives its id where the channel took it at once and in one piece. */
  sayLater(place: Place, message: Message): Promise<string | undefined>;
  replaceLater(place: Place, messageId: string, message: Message): Promise<boolean>;
  /** One try of a reply that was kept. */
  retry(job: ReplyJob): Promise<JobOutcome<ReplyJob>>;
};

export type RepliesOptions = {
  /** Speaks at a place after its turn. */
  speakAt<T>(place: Place, speak: (context: TurnContext) => Promise<T>): Promise<T>;
  /** Where replies wait that the channel does not take. */
  queue: Pick<Queue<ReplyJob>, 'put'>;
  /** How long to try a message before it is kept. Counts from {@link arrivalOf} the context. */
  patienceMs: number;
  log: Logger;
};

/** How long an edit is tried before the message is said anew. */
const EDIT_PATIENCE_MS = 3000;

const KEEP_MS = 24 * 3_600_000;
/** Between the pieces of a reply that was too large. */
const IN_ORDER_MS = 2000;

const BACKOFF = { firstMs: 1000, mostMs: 5 * 60_000 };

export function createReplies({ speakAt, queue, patienceMs, log }: RepliesOptions): Replies {
  /** Gives the message's id; undefined where it went in pieces or is kept. */
  async function say(context: TurnContext, message: Message): Promise<string | undefined> {
    const pieces = piecesFor(message, context.activity.channelId);
    const ids: Array<string | undefined> = [];
    for (const piece of pieces) ids.push(await sayPiece(context, piece, arrivalOf(context) + patienceMs));
    return ids.length === 1 ? ids[0] : undefined;
  }

  async function sayPiece(context: TurnContext, piece: Message, until: number): Promise<string | undefined> {
    const outcome = await sendPatiently(() => send(context, activityOf(piece, context.activity)), until);
    if (outcome.kind === 'sent') return outcome.response?.id || undefined;
    if (outcome.kind === 'gone') throw outcome.error; // A turn whose question cannot be answered is not acknowledged.
    const job = { ...piece, place: placeOf(context.activity), firstAt: Date.now(), attempt: 1 };
    const put = await queue
      .put(randomUUID(), job, Math.max(outcome.error.retryAfterMs, backoffMs(0, BACKOFF)))
      .catch((error: unknown) => logFault(log, error, 'a reply could not be kept'));
    if (put !== 'put') throw outcome.error;
    return undefined;
  }

  async function replace(context: TurnContext, messageId: string, message: Message): Promise<boolean> {
    const [piece = message, ...others] = piecesFor(message, context.activity.channelId);
    const update = { attachments: [], ...activityOf(piece, context.activity), id: messageId };
    const outcome = await sendPatiently(() => context.updateActivity(update), Date.now() + EDIT_PATIENCE_MS);
    if (outcome.kind !== 'sent') {
      log.warn({ outcome: outcome.kind }, 'the channel did not take an edit');
      return false;
    }
    for (const other of others) await sayPiece(context, other, Date.now() + patienceMs);
    return true;
  }

  return {
    async say(context, message) {
      await say(context, message);
    },
    sayOnce: (context, message) => sayOnce(context, message, log),
    replace,
    sayLater: (place, message) =>
      unlessGone(
        speakAt(place, (context) => say(context, message)),
        undefined,
        log,
      ),
    replaceLater: (place, messageId, message) =>
      unlessGone(
        speakAt(place, (context) => replace(context, messageId, message)),
        true,
        log,
      ),

    retry: (job) => retry(job, { speakAt, queue, log }),
  };
}

async function sayOnce(context: TurnContext, message: Message, log: Logger): Promise<string | undefined> {
  const [piece, ...others] = piecesFor(message, context.activity.channelId);
  if (piece === undefined || others.length > 0) return undefined;
  try {
    const response = await send(context, activityOf(piece));
    return response?.id || undefined;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    log.warn({ reason: error.reason }, 'the channel did not take a message');
    return undefined;
  }
}

async function retry(
  { place, firstAt, attempt, ...piece }: ReplyJob,
  { speakAt, queue, log }: Pick<RepliesOptions, 'speakAt' | 'queue' | 'log'>,
): Promise<JobOutcome<ReplyJob>> {
  const outcome = await speakAt(place, (context) =>
    sendPatiently(() => send(context, activityOf(piece, context.activity)), Date.now()),
  );
  if (outcome.kind === 'gone') log.warn('a kept reply has no conversation to go to any more');
  if (outcome.kind !== 'refused') return { kind: 'done' };
  const { reason, retryAfterMs } = outcome.error;
  if (Date.now() - firstAt >= KEEP_MS) return { kind: 'dead', reason: String(reason) };
  const job = { place, firstAt, attempt: attempt + 1 };
  if (reason !== 400 && reason !== 413) {
    const afterMs = Math.max(retryAfterMs, backoffMs(attempt, BACKOFF));
    return { kind: 'again', data: { ...piece, ...job }, afterMs };
  }
  const [first, ...others] = smallerThan(piece);
  if (first === undefined) return { kind: 'dead', reason: `the channel refused it with status ${reason}` };
  for (const [index, other] of others.entries())
    await queue.put(randomUUID(), { ...other, ...job }, (index + 1) * IN_ORDER_MS);
  return { kind: 'again', data: { ...first, ...job }, afterMs: 0 };
}

/** After its turn, a message whose conversation is gone has nobody left to tell. */
function unlessGone<T>(said: Promise<T>, otherwise: T, log: Logger): Promise<T> {
  return said.catch((error: unknown) => {
    if (!(error instanceof DeliveryError && error.isGone)) throw error;
    log.warn('a reply has no conversation to go to any more');
    return otherwise;
  });
}
