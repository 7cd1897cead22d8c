import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ResourceResponse, TurnContext } from 'botbuilder';
import type { Logger } from 'pino';
import { z } from 'zod';
import {
  isTargetedPlace,
  type Message,
  messageSchema,
  type Place,
  placeForAll,
  placeSchema,
} from '../../dialogs/format/message.ts';
import type { JobOutcome, Queue } from '../domain/jobs.ts';
import { backoffMs, type Timing } from '../domain/timing.ts';
import { placeOf } from './activity.ts';
import { arrivalOf, DeliveryError, send } from './adapter.ts';
import { activityOf, piecesFor, smallerThan } from './message-activity.ts';

/** A reply that waits in the database. Times are milliseconds since 1970. */
export const replyJobSchema = messageSchema.extend({
  place: placeSchema,
  firstAt: z.number(),
  attempt: z.number(),
});
export type ReplyJob = z.infer<typeof replyJobSchema>;

export type RepliesOptions = {
  speakAt<T>(place: Place, speak: (context: TurnContext) => Promise<T>): Promise<T>;
  /** Where replies wait that the channel does not take. */
  queue: Pick<Queue<ReplyJob>, 'put'>;
  /** `turnMs` is how long to try a message before it is kept, from its arrival on. */
  timing: Pick<Timing, 'turnMs' | 'replies'>;
  now: () => number;
  log: Logger;
  logFault(error: unknown, what: string): void;
};

/** How long an edit is tried before the message is said anew. */
const EDIT_PATIENCE_MS = 3000;

export type Replies = ReturnType<typeof createReplies>;

/** What the bot says, in a turn (by its context) or after it (at its place). */
export function createReplies(options: RepliesOptions) {
  const { speakAt, queue, timing, now, log, logFault } = options;
  /** Turns whose conversation takes no targeted messages: their askers are told once. */
  const told = new WeakSet<TurnContext>();

  /**
   * Says a message; gives its id where the channel took it at once and in one piece. Keeps what the channel does not take.
   * @throws DeliveryError where it could neither be said nor kept, or its conversation is gone
   */
  async function say(context: TurnContext, message: Message): Promise<string | undefined> {
    const ids: Array<string | undefined> = [];
    for (const piece of piecesFor(message, context.activity.channelId))
      ids.push(await sayPiece(context, piece, arrivalOf(context) + timing.turnMs));
    return ids.length === 1 ? ids[0] : undefined;
  }

  async function sayPiece(context: TurnContext, piece: Message, until: number): Promise<string | undefined> {
    const { activity } = context;
    if (told.has(context)) return undefined;
    const outcome = await sendPatiently(() => send(context, activityOf(piece, activity)), until, now);
    if (outcome.kind === 'sent') return outcome.id;
    const place = placeOf(activity);
    if (isRefusedAsTargeted(outcome, place)) {
      told.add(context);
      await speakAt(placeForAll(place), (open) => sayPiece(open, ASK_ALONE, until));
      return undefined;
    }
    if (outcome.kind === 'gone') throw outcome.error; // A turn whose question cannot be answered is not acknowledged.
    const job = { ...piece, place, firstAt: now(), attempt: 1 };
    const afterMs = Math.max(outcome.error.retryAfterMs, backoffMs(0, timing.replies, Math.random()));
    const put = await queue
      .put(randomUUID(), job, afterMs)
      .catch((error: unknown) => logFault(error, 'a reply could not be kept'));
    if (put !== 'put') throw outcome.error;
    return undefined;
  }

  /** Puts a message in the place of one of the bot's. False where the channel does not let it. */
  async function replace(context: TurnContext, messageId: string, message: Message): Promise<boolean> {
    const [piece = message, ...others] = piecesFor(message, context.activity.channelId);
    const update = { attachments: [], ...activityOf(piece, context.activity), id: messageId };
    const outcome = await sendPatiently(() => context.updateActivity(update), now() + EDIT_PATIENCE_MS, now);
    if (outcome.kind !== 'sent') {
      log.warn({ outcome: outcome.kind }, 'the channel did not take an edit');
      return false;
    }
    for (const other of others) await sayPiece(context, other, now() + timing.turnMs);
    return true;
  }

  return {
    say,
    sayOnce: (context: TurnContext, message: Message, withinMs: number) =>
      sayOnce(context, message, withinMs, options),
    replace,
    /** After its turn, a message whose conversation is gone has nobody left to tell. */
    sayLater: (place: Place, message: Message, messageId?: string): Promise<string | undefined> =>
      speakAt(place, async (context) => {
        if (messageId !== undefined && (await replace(context, messageId, message))) return messageId;
        return say(context, message);
      }).catch((error: unknown) => {
        if (!(error instanceof DeliveryError && error.isGone)) throw error;
        log.warn('a reply has no conversation to go to any more');
        return undefined;
      }),
    retry: (job: ReplyJob) => retryReply(job, options),
  };
}

/** Says a message that is of use only now, and tries for so long. Returns undefined if the channel did not take the message. */
async function sayOnce(context: TurnContext, message: Message, withinMs: number, options: RepliesOptions) {
  const { now, log } = options;
  const [piece, ...others] = piecesFor(message, context.activity.channelId);
  if (piece === undefined || others.length > 0) return undefined;
  const outcome = await sendPatiently(() => send(context, activityOf(piece)), now() + withinMs, now);
  if (outcome.kind === 'sent') return { id: outcome.id };
  log.warn({ reason: outcome.error.reason }, 'the channel did not take a message');
  return undefined;
}

const KEEP_MS = 24 * 3_600_000;
const IN_ORDER_MS = 2000;

async function retryReply(job: ReplyJob, options: RepliesOptions): Promise<JobOutcome<ReplyJob>> {
  const { place, firstAt, attempt, ...piece } = job;
  const { speakAt, queue, now, timing, log } = options;
  const outcome = await speakAt(place, (context) =>
    sendPatiently(() => send(context, activityOf(piece, context.activity)), 0, now),
  );
  if (isRefusedAsTargeted(outcome, place))
    return retryReply({ ...ASK_ALONE, place: placeForAll(place), firstAt, attempt }, options);
  if (outcome.kind === 'gone') log.warn('a kept reply has no conversation to go to any more');
  if (outcome.kind !== 'refused') return { kind: 'done' };
  const { reason, retryAfterMs: askedMs } = outcome.error;
  if (now() - firstAt >= KEEP_MS) return { kind: 'dead', reason: String(reason) };
  const next = { place, firstAt, attempt: attempt + 1 };
  const afterMs = Math.max(askedMs, backoffMs(attempt, timing.replies, Math.random()));
  const wholeAgain = { kind: 'again', data: { ...piece, ...next }, afterMs } as const;
  if (reason !== 400 && reason !== 413) return wholeAgain;
  const [first, ...others] = smallerThan(piece);
  if (first === undefined) return { kind: 'dead', reason: `the channel refused it with status ${reason}` };
  for (const [index, other] of others.entries()) {
    const put = await queue.put(randomUUID(), { ...other, ...next }, (index + 1) * IN_ORDER_MS);
    if (put !== 'put') return wholeAgain; // The queue is full.
  }
  return { kind: 'again', data: { ...first, ...next }, afterMs: 0 };
}

const ASK_ALONE = {
  text: 'I cannot answer one person alone in this conversation. Please ask me in a personal chat.',
};

/** Teams answers 403 where a tenant or a conversation takes no targeted messages. */
function isRefusedAsTargeted(outcome: ReplyOutcome, place: Place): boolean {
  return isTargetedPlace(place) && outcome.kind === 'gone' && outcome.error.reason === 403;
}

/** What became of a reply: taken, impossible for ever (the conversation is gone), or refused until the time was over. */
type ReplyOutcome = Awaited<ReturnType<typeof sendPatiently>>;

const BACKOFF = { firstMs: 300, mostMs: 4000 };

/** Sends a reply, and again while the channel refuses it in a passing way and there is time (until, by the clock `now`). */
async function sendPatiently(send: () => Promise<unknown>, until: number, now: () => number) {
  for (let attempt = 0; ; attempt++) {
    try {
      const { id } = Object(await send()) as Partial<ResourceResponse>;
      return { kind: 'sent' as const, id: id || undefined };
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      if (error.isGone) return { kind: 'gone' as const, error };
      const waitMs = Math.max(error.retryAfterMs, backoffMs(attempt, BACKOFF, Math.random()));
      if (!isPassing(error) || now() + waitMs > until) return { kind: 'refused' as const, error };
      await delay(waitMs);
    }
  }
}

/** Too many messages, a conflict of the conversation (412), an expired token, a fault of the channel, or no answer at all. */
function isPassing({ reason }: DeliveryError): boolean {
  return typeof reason === 'string' || [401, 412, 429].includes(reason) || reason >= 500;
}
