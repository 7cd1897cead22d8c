import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Activity } from 'botbuilder';
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
import { type Piece, pieceOf, piecesFor, type SendOutcome, type Undelivered } from './connector.ts';

/** The channel did not take a reply. The turn that hoped to answer is then not acknowledged. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly outcome: Undelivered;

  constructor(outcome: Undelivered) {
    super(`the channel did not take the reply: ${outcome.reason}`);
    this.outcome = outcome;
  }
}

/** A reply that waits in the database. */
export const replyJobSchema = messageSchema.extend({
  place: placeSchema,
  attempt: z.number(),
});
type ReplyJob = z.infer<typeof replyJobSchema>;

type Send = (place: Place, piece: Piece) => Promise<SendOutcome>;

type ChatParts = {
  send: Send;
  /** Where replies wait that the channel does not take. */
  queue: Pick<Queue<ReplyJob>, 'put'>;
  clock: Clock;
  timing: Pick<Timing, 'replies'>;
  log: Logger;
  onError(error: unknown): void;
};

/** How long a message is tried before it becomes a job, and an edit before the message is sent as a new one. */
const TRY_MS = 3000;
const REPLY_FOR_MS = 24 * 3_600_000;
const PATIENCE = { firstMs: 300, maxMs: 4000 };

const ASK_ALONE = {
  text: 'I cannot answer one person alone in this conversation. Please ask me in a personal chat.',
};

/** Sends the bot's messages: in a turn, after it, and from jobs. Times are of the steady clock (milliseconds). */
export class TeamsChat implements Chat {
  readonly #parts: ChatParts;

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** The chat of a turn whose new messages are the answer to its request. */
  collecting(collect: (activity: Partial<Activity>) => Promise<unknown>): TeamsChat {
    const { send } = this.#parts;
    const collectNew: Send = async (place, piece) => {
      if (piece.id !== undefined) return send(place, piece);
      await collect(JSON.parse(piece.body));
      return { kind: 'sent', id: undefined };
    };
    return new TeamsChat({ ...this.#parts, send: collectNew });
  }

  /**
   * Sends a message, in the place of the one with this id if the channel allows it, and tries for a while. A piece that the
   * channel does not take becomes a job. Returns the id of the message if the channel took it at once and in one piece.
   * @throws DeliveryError if a piece could neither be sent nor queued, or its conversation is gone
   */
  async send(place: Place, message: Message, replacedId?: string): Promise<string | undefined> {
    if (replacedId !== undefined && (await this.edit(place, replacedId, message))) return replacedId;
    const pieces = piecesFor(message, place);
    for (const piece of pieces) {
      const outcome = await this.#try(place, piece);
      if (outcome.kind === 'sent' && pieces.length === 1) return outcome.id;
      if (outcome.kind === 'sent') continue;
      // Teams answers 403 where a tenant or a conversation takes no targeted messages.
      if (isTargetedPlace(place) && outcome.reason === 403) {
        await this.send(placeForAll(place), ASK_ALONE);
        return undefined;
      }
      await this.#enqueue(place, piece.message, outcome);
    }
    return undefined;
  }

  /** Sends a message that is of use only now, and queues nothing. Returns its id, if the channel took it and gave one. */
  async sendOnce(place: Place, message: Message, replacedId?: string): Promise<string | undefined> {
    if (replacedId !== undefined && (await this.edit(place, replacedId, message))) return replacedId;
    const outcome = await this.#try(place, piecesFor(message, place)[0]);
    return outcome.kind === 'sent' ? outcome.id : undefined;
  }

  /** Puts a message in the place of one of the bot's. False if the channel does not allow it. */
  async edit(place: Place, messageId: string, message: Message): Promise<boolean> {
    const [first, ...others] = piecesFor(message, place, messageId);
    const outcome = await this.#try(place, first);
    if (outcome.kind !== 'sent') return false;
    for (const other of others) await this.send(place, other.message);
    return true;
  }

  async reply(place: Place, message: Message, replacedId?: string): Promise<TakenMessage | undefined> {
    try {
      return { id: await this.send(place, message, replacedId) };
    } catch (error) {
      if (!(error instanceof DeliveryError && error.outcome.kind === 'gone')) throw error;
      return undefined;
    }
  }

  /** Tries again a reply that has become a job. A card that the channel refuses is sent as its text. */
  async work({ data, ageMs }: Pick<Job<ReplyJob>, 'data' | 'ageMs'>): Promise<JobOutcome<ReplyJob>> {
    const { place, attempt, card, ...words } = data;
    const outcome = await this.#try(place, pieceOf(data, place), 0);
    if (outcome.kind !== 'refused') return { kind: 'done' };
    const { reason, retryAfterMs } = outcome;
    const isRefusedForEver = reason === 400 || reason === 413;
    if (isRefusedForEver && card) return { kind: 'again', data: { ...words, place, attempt }, afterMs: 0 };
    if (isRefusedForEver || ageMs >= REPLY_FOR_MS) return { kind: 'dead', reason: String(reason) };
    const pauseMs = backoffMs(attempt, this.#parts.timing.replies, Math.random());
    const afterMs = Math.max(retryAfterMs, pauseMs);
    return { kind: 'again', data: { ...data, attempt: attempt + 1 }, afterMs };
  }

  async #enqueue(place: Place, message: Message, outcome: Undelivered): Promise<void> {
    const { queue, timing, onError } = this.#parts;
    if (outcome.kind === 'gone') throw new DeliveryError(outcome);
    const job = { ...message, place, attempt: 1 };
    const afterMs = Math.max(outcome.retryAfterMs, backoffMs(0, timing.replies, Math.random()));
    const put = await queue.put(randomUUID(), job, afterMs).catch(onError);
    if (put !== 'put') throw new DeliveryError(outcome);
  }

  /** Sends a piece, and again while the channel's refusal is transient and there is time. */
  async #try(place: Place, piece: Piece, patienceMs = TRY_MS): Promise<SendOutcome> {
    const { send, clock, log } = this.#parts;
    const until = clock.steady() + patienceMs;
    for (let attempt = 0; ; attempt++) {
      const outcome = await send(place, piece);
      if (outcome.kind === 'sent') return outcome;
      const { reason } = outcome;
      if (outcome.kind === 'gone') log.warn({ reason }, 'a reply or an edit has no place to go to any more');
      const waitMs = Math.max(outcome.retryAfterMs, backoffMs(attempt, PATIENCE, Math.random()));
      if (!isTransient(reason) || clock.steady() + waitMs > until) return outcome;
      await delay(waitMs);
    }
  }
}

/** Too many messages, a conflict of the conversation (412), an expired token, a fault of the channel, or no answer at all. */
function isTransient(reason: string | number): boolean {
  return typeof reason === 'string' || [401, 412, 429].includes(reason) || reason >= 500;
}
