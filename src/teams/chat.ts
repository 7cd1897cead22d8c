import { hash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Activity, ActivityTypes } from 'botbuilder';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Chat, TakenMessage } from '../../dialogs/dialog.ts';
import {
  isTargetedPlace,
  type Message,
  messageSchema,
  type Place,
  placeForAll,
  placeSchema,
} from '../../dialogs/render/message.ts';
import type { Job, JobOutcome, Queue } from '../domain/jobs.ts';
import { backoffMs, type Clock, type Timing } from '../domain/timing.ts';
import { addressTo } from './activity.ts';
import { DeliveryError } from './connector.ts';
import { activityOf, piecesFor, smallerThan } from './message-activity.ts';

/** A reply that waits in the database. */
export const replyJobSchema = messageSchema.extend({
  place: placeSchema,
  attempt: z.number(),
});
export type ReplyJob = z.infer<typeof replyJobSchema>;

/** Sends an activity, or edits the message of its `id`. Returns the message's id, if there is one. Throws a {@link DeliveryError}. */
type Send = (activity: Partial<Activity>) => Promise<string | undefined>;

type ChatParts = {
  send: Send;
  /** Where replies wait that the channel does not take. */
  queue: Pick<Queue<ReplyJob>, 'put'>;
  clock: Clock;
  /** `turnMs` is how long to try a message before it becomes a job. */
  timing: Pick<Timing, 'turnMs' | 'replies'>;
  log: Logger;
  onError(error: unknown): void;
};

/** How long an edit is tried before the message is sent as a new one. */
const EDIT_PATIENCE_MS = 3000;
const REPLY_FOR_MS = 24 * 3_600_000;
const IN_ORDER_MS = 2000;
const PATIENCE = { firstMs: 300, maxMs: 4000 };

const ASK_ALONE = {
  text: 'I cannot answer one person alone in this conversation. Please ask me in a personal chat.',
};

/** Sends the bot's messages: in a turn, after it, and from jobs. Times are of the steady clock (milliseconds). */
export class TeamsChat implements Chat {
  readonly #parts: ChatParts;
  /** Places that take no targeted messages: their askers have read so. */
  readonly #untargeted = new WeakSet<Place>();

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** The chat of a turn whose new messages are the answer to its request. */
  collecting(collect: Send): TeamsChat {
    const { send } = this.#parts;
    return new TeamsChat({ ...this.#parts, send: (each) => (each.id === undefined ? collect : send)(each) });
  }

  /** Shows for some seconds that the bot is typing. */
  async showTyping(place: Place): Promise<void> {
    await this.#parts.send(addressTo(place, { type: ActivityTypes.Typing }));
  }

  /**
   * Sends a message, and tries for a while. A piece that the channel does not take becomes a job. Returns the id of the message
   * if the channel took it at once and in one piece.
   * @throws DeliveryError if a piece could neither be sent nor queued, or its conversation is gone
   */
  async send(
    place: Place,
    message: Message,
    until = this.#parts.clock.steady() + this.#parts.timing.turnMs,
  ): Promise<string | undefined> {
    const ids: Array<string | undefined> = [];
    for (const piece of piecesFor(message, place.reference.channelId))
      ids.push(await this.#sendOrQueue(place, piece, until));
    return ids.length === 1 ? ids[0] : undefined;
  }

  /** Sends a message that is of use only now, in one piece, and queues nothing. Undefined if the channel did not take it. */
  async sendOnce(place: Place, message: Message, withinMs: number): Promise<TakenMessage | undefined> {
    const { clock, log } = this.#parts;
    const [piece, ...others] = piecesFor(message, place.reference.channelId);
    if (piece === undefined || others.length > 0) return undefined;
    const outcome = await this.#try(place, activityOf(piece, place), clock.steady() + withinMs);
    if (outcome.kind === 'sent') return { id: outcome.id };
    log.warn({ reason: outcome.error.reason }, 'the channel did not take a message');
    return undefined;
  }

  /** Puts a message in the place of one of the bot's. False if the channel does not allow it. */
  async edit(place: Place, messageId: string, message: Message): Promise<boolean> {
    const { clock, timing, log } = this.#parts;
    const [piece = message, ...others] = piecesFor(message, place.reference.channelId);
    const update = { attachments: [], ...activityOf(piece, place), id: messageId };
    const outcome = await this.#try(place, update, clock.steady() + EDIT_PATIENCE_MS);
    if (outcome.kind !== 'sent') {
      log.warn({ outcome: outcome.kind }, 'the channel did not take an edit');
      return false;
    }
    for (const other of others) await this.#sendOrQueue(place, other, clock.steady() + timing.turnMs);
    return true;
  }

  /** As {@link Chat}. */
  async reply(place: Place, message: Message, replacedId?: string): Promise<TakenMessage | undefined> {
    try {
      if (replacedId !== undefined && (await this.edit(place, replacedId, message)))
        return { id: replacedId };
      return { id: await this.send(place, message) };
    } catch (error) {
      if (!(error instanceof DeliveryError && error.isGone)) throw error;
      this.#parts.log.warn('a reply has no conversation to go to any more');
      return undefined;
    }
  }

  /** Tries again a reply that has become a job. */
  async work({ key, data, ageMs }: Omit<Job<ReplyJob>, 'added' | 'now'>): Promise<JobOutcome<ReplyJob>> {
    const { place, attempt, ...piece } = data;
    const { queue, timing, log } = this.#parts;
    const outcome = await this.#try(place, activityOf(piece, place), 0);
    if (isRefusedAsTargeted(outcome, place))
      return this.work({ key, data: { ...ASK_ALONE, place: placeForAll(place), attempt }, ageMs });
    if (outcome.kind === 'gone') log.warn('a queued reply has no conversation to go to any more');
    if (outcome.kind !== 'refused') return { kind: 'done' };
    const { reason, retryAfterMs: askedMs } = outcome.error;
    if (ageMs >= REPLY_FOR_MS) return { kind: 'dead', reason: String(reason) };
    const next = { place, attempt: attempt + 1 };
    const afterMs = Math.max(askedMs, backoffMs(attempt, timing.replies, Math.random()));
    const wholeAgain = { kind: 'again', data: { ...piece, ...next }, afterMs } as const;
    if (reason !== 400 && reason !== 413) return wholeAgain;
    const [first, ...others] = smallerThan(piece);
    if (first === undefined) return { kind: 'dead', reason: `the channel refused it with status ${reason}` };
    for (const [index, other] of others.entries()) {
      const put = await queue.put(pieceKey(key, other), { ...other, ...next }, (index + 1) * IN_ORDER_MS);
      if (put === 'full') return wholeAgain; // The next try adds only what is missing.
    }
    return { kind: 'again', data: { ...first, ...next }, afterMs: 0 };
  }

  async #sendOrQueue(place: Place, piece: Message, until: number) {
    const { queue, timing, onError } = this.#parts;
    if (this.#untargeted.has(place)) return undefined;
    const outcome = await this.#try(place, activityOf(piece, place), until);
    if (outcome.kind === 'sent') return outcome.id;
    if (isRefusedAsTargeted(outcome, place)) {
      this.#untargeted.add(place);
      await this.send(placeForAll(place), ASK_ALONE, until);
      return undefined;
    }
    if (outcome.kind === 'gone') throw outcome.error; // A turn whose question cannot be answered is not acknowledged.
    const job = { ...piece, place, attempt: 1 };
    const afterMs = Math.max(outcome.error.retryAfterMs, backoffMs(0, timing.replies, Math.random()));
    const put = await queue.put(randomUUID(), job, afterMs).catch(onError);
    if (put !== 'put') throw outcome.error;
    return undefined;
  }

  /** Sends an activity, and again while the channel's refusal is transient and there is time. Throws other errors. */
  async #try(place: Place, activity: Partial<Activity>, until: number): Promise<ReplyOutcome> {
    const { send, clock } = this.#parts;
    const addressed = addressTo(place, activity);
    for (let attempt = 0; ; attempt++) {
      try {
        return { kind: 'sent', id: await send(addressed) };
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        if (error.isGone) return { kind: 'gone', error };
        const waitMs = Math.max(error.retryAfterMs, backoffMs(attempt, PATIENCE, Math.random()));
        if (!isTransient(error) || clock.steady() + waitMs > until) return { kind: 'refused', error };
        await delay(waitMs);
      }
    }
  }
}

const pieceKey = (key: string, piece: Message) => `${key} ${hash('sha256', JSON.stringify(piece))}`;

/** Teams answers 403 where a tenant or a conversation takes no targeted messages. */
function isRefusedAsTargeted(outcome: ReplyOutcome, place: Place): boolean {
  return isTargetedPlace(place) && outcome.kind === 'gone' && outcome.error.reason === 403;
}

/** A reply was taken, is impossible for ever (the conversation is gone), or was refused until the time was over. */
type ReplyOutcome =
  | { kind: 'sent'; id: string | undefined }
  | { kind: 'gone' | 'refused'; error: DeliveryError };

/** Too many messages, a conflict of the conversation (412), an expired token, a fault of the channel, or no answer at all. */
function isTransient({ reason }: DeliveryError): boolean {
  return typeof reason === 'string' || [401, 412, 429].includes(reason) || reason >= 500;
}
