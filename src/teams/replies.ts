import { randomUUID } from 'node:crypto';
import type { TurnContext } from 'botbuilder';
import { type Message, type Place, placeForAll } from '../../dialogs/format/message.ts';
import { backoffMs } from '../domain/timing.ts';
import { placeOf } from './activity.ts';
import { arrivalOf, send } from './adapter.ts';
import { DeliveryError } from './connector.ts';
import { activityOf, piecesFor } from './message-activity.ts';
import {
  ASK_ALONE,
  isRefusedAsTargeted,
  type ReplyJob,
  type RetryOptions,
  retryReply,
  sendPatiently,
} from './reply-job.ts';
import { isTargeted } from './targeted.ts';

export type RepliesOptions = RetryOptions & {
  /** How long to try a message before it is kept. Counts from {@link arrivalOf} the context. */
  patienceMs: number;
  logFault(error: unknown, what: string): void;
};

/** How long an edit is tried before the message is said anew. */
const EDIT_PATIENCE_MS = 3000;

export type Replies = ReturnType<typeof createReplies>;

/** What the bot says, in a turn (by its context) or after it (at its place). */
export function createReplies(options: RepliesOptions) {
  const { speakAt, queue, patienceMs, now, backoff, log, logFault } = options;
  /** Turns whose conversation takes no targeted messages: their askers are told once. */
  const told = new WeakSet<TurnContext>();

  /**
   * Says a message; gives its id where the channel took it at once and in one piece. What the channel does not take within
   * the patience is kept as a job. Where it takes no targeted message, the asker is told to ask elsewhere.
   * @throws DeliveryError where it could neither be said nor kept, or its conversation is gone
   */
  async function say(context: TurnContext, message: Message): Promise<string | undefined> {
    const ids: Array<string | undefined> = [];
    for (const piece of piecesFor(message, context.activity.channelId))
      ids.push(await sayPiece(context, piece, arrivalOf(context) + patienceMs));
    return ids.length === 1 ? ids[0] : undefined;
  }

  async function sayPiece(context: TurnContext, piece: Message, until: number): Promise<string | undefined> {
    const { activity } = context;
    if (told.has(context)) return undefined;
    const outcome = await sendPatiently(() => send(context, activityOf(piece, activity)), until, now);
    if (outcome.kind === 'sent') return outcome.id;
    if (isRefusedAsTargeted(outcome, isTargeted(activity))) {
      told.add(context);
      await speakAt(placeForAll(placeOf(activity)), (open) => sayPiece(open, ASK_ALONE, until));
      return undefined;
    }
    if (outcome.kind === 'gone') throw outcome.error; // A turn whose question cannot be answered is not acknowledged.
    const job = { ...piece, place: placeOf(activity), firstAt: now(), attempt: 1 };
    const put = await queue
      .put(randomUUID(), job, Math.max(outcome.error.retryAfterMs, backoffMs(0, backoff, Math.random())))
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
    for (const other of others) await sayPiece(context, other, now() + patienceMs);
    return true;
  }

  return {
    say,
    sayOnce: (context: TurnContext, message: Message) => sayOnce(context, message, options),
    replace,
    sayLater: (place: Place, message: Message) =>
      speakLater(place, (context) => say(context, message), undefined, options),
    replaceLater: (place: Place, messageId: string, message: Message) =>
      speakLater(place, (context) => replace(context, messageId, message), true, options),
    /** One try of a reply that was kept. */
    retry: (job: ReplyJob) => retryReply(job, options),
  };
}

/** Says a message that is of use only now; gives its id, undefined where the channel did not take it. */
async function sayOnce(
  context: TurnContext,
  message: Message,
  { now, log }: Pick<RepliesOptions, 'now' | 'log'>,
): Promise<string | undefined> {
  const [piece, ...others] = piecesFor(message, context.activity.channelId);
  if (piece === undefined || others.length > 0) return undefined;
  const outcome = await sendPatiently(() => send(context, activityOf(piece)), 0, now);
  if (outcome.kind === 'sent') return outcome.id;
  log.warn({ reason: outcome.error.reason }, 'the channel did not take a message');
  return undefined;
}

/** After its turn, a message whose conversation is gone has nobody left to tell. */
async function speakLater<T>(
  place: Place,
  speak: (context: TurnContext) => Promise<T>,
  otherwise: T,
  { speakAt, log }: Pick<RepliesOptions, 'speakAt' | 'log'>,
): Promise<T> {
  try {
    return await speakAt(place, speak);
  } catch (error) {
    if (!(error instanceof DeliveryError && error.isGone)) throw error;
    log.warn('a reply has no conversation to go to any more');
    return otherwise;
  }
}
