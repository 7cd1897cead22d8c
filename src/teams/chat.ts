import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Activity } from 'botbuilder';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Chat } from '../../dialogs/dialog.ts';
import * as messages from '../../dialogs/render/message.ts';
import { conversationOf, isTargetedPlace, type Message, type Place } from '../../dialogs/render/message.ts';
import type { Job, JobOutcome, Queue } from '../domain/jobs.ts';
import { parseJson } from '../domain/text.ts';
import { type Backoff, backoffMs, type Clock, type Timing } from '../domain/timing.ts';
import { type HttpRequest, readRetryAfter, type ServiceGate, targetUnder, type Upstream } from '../http.ts';
import { type Piece, pieceOf, piecesFor } from './activity.ts';
import type { AppTokens } from './authentication/app-tokens.ts';

/** The channel took an activity, and answered with its JSON, if with any; or it did not. */
type SendOutcome = { kind: 'sent'; answer: Readonly<Record<string, unknown>> } | Undelivered;

/**
 * @property kind `gone`: refused for ever, because the conversation is gone, or the bot was thrown out of it
 * @property reason the channel's HTTP status, or why no answer came
 * @property retryAfterMs how long the channel asks to wait; 0 if it does not say
 */
type Undelivered = { kind: 'gone' | 'refused'; reason: string | number; retryAfterMs: number };

/** The channel did not take a reply. The turn that hoped to answer is then not acknowledged. */
export class DeliveryError extends Error {
  readonly outcome: Undelivered;

  constructor(outcome: Undelivered) {
    super(`the channel did not take the reply: ${outcome.reason}`);
    this.outcome = outcome;
  }
}

/** A reply that waits in the database. */
export const replyJobSchema = messages.messageSchema.extend({
  place: messages.placeSchema,
  attempt: z.number(),
});
type ReplyJob = z.infer<typeof replyJobSchema>;

type ChatParts = {
  channel: Upstream;
  /** Where replies may go: what was allowed when a question came may no longer be when its answer is ready. */
  serviceGate: ServiceGate;
  /** Undefined: authentication is off, and replies carry no token. */
  tokens: AppTokens | undefined;
  /** Called with the outcome of each activity, as a metric's label. @param conversation without its thread */
  onOutcome(outcome: string, conversation: string): void;
  /** Where replies wait that the channel does not take. */
  queue: Pick<Queue<ReplyJob>, 'put'>;
  clock: Clock;
  timing: Pick<Timing, 'replies'>;
  log: Logger;
  onError(error: unknown): void;
  /** Takes new messages instead of the channel: they are the answer to the request of a turn. */
  collect?(activity: Partial<Activity>): Promise<unknown>;
};

/** How long a message is tried before it becomes a job, and an edit before the message is sent as a new one. */
const TRY_MS = 3000;
const REPLY_FOR_MS = 24 * 3_600_000;
const PATIENCE = { firstMs: 300, maxMs: 4000 };

const ASK_ALONE = 'I cannot answer one person alone in this conversation. Please ask me in a personal chat.';

/** Sends the bot's messages by the Bot Connector API, version 3: in a turn, after it, and from jobs. */
export class TeamsChat implements Chat {
  readonly #parts: ChatParts;

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** The chat of a turn whose new messages are the answer to its request. */
  collecting(collect: NonNullable<ChatParts['collect']>): TeamsChat {
    return new TeamsChat({ ...this.#parts, collect });
  }

  /**
   * Sends a message, in the place of the one with this id if the channel allows it, and tries for a while. A piece that the
   * channel does not take becomes a job. Returns the id of the message if the channel took it at once and in one piece.
   * @throws DeliveryError if a piece could neither be sent nor queued, or its conversation is gone
   */
  async send(place: Place, message: Message, replacedId?: string): Promise<string | undefined> {
    const { queue, timing, onError } = this.#parts;
    if (replacedId !== undefined && (await this.edit(place, replacedId, message))) return replacedId;
    const pieces = piecesFor(message, place);
    for (const piece of pieces) {
      const outcome = await this.#try(place, piece);
      if (outcome.kind === 'sent' && pieces.length === 1) return textIn(outcome.answer.id);
      // Teams answers 403 where a tenant or a conversation takes no targeted messages.
      if (isTargetedPlace(place) && outcome.kind === 'gone' && outcome.reason === 403)
        return void (await this.send(messages.placeForAll(place), { text: ASK_ALONE }));
      if (outcome.kind === 'gone') throw new DeliveryError(outcome);
      if (outcome.kind === 'sent') continue;
      const afterMs = pauseAfter(outcome, 0, timing.replies);
      const job = { ...piece.message, place, attempt: 1 };
      if ((await queue.put(randomUUID(), job, afterMs).catch(onError)) !== 'put')
        throw new DeliveryError(outcome);
    }
    return undefined;
  }

  /** Sends a message that is of use only now, and queues nothing. Returns its id, if the channel took it and gave one. */
  async sendOnce(place: Place, message: Message, replacedId?: string): Promise<string | undefined> {
    if (replacedId !== undefined && (await this.edit(place, replacedId, message))) return replacedId;
    const outcome = await this.#try(place, piecesFor(message, place)[0]);
    return outcome.kind === 'sent' ? textIn(outcome.answer.id) : undefined;
  }

  /** Puts a message in the place of one of the bot's. False if the channel does not allow it. */
  async edit(place: Place, messageId: string, message: Message): Promise<boolean> {
    const [first, ...others] = piecesFor(message, place, messageId);
    const outcome = await this.#try(place, first);
    if (outcome.kind !== 'sent') return false;
    for (const other of others) await this.send(place, other.message);
    return true;
  }

  async reply(place: Place, message: Message, replacedId?: string) {
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
    const { reason } = outcome;
    const isRefusedForEver = reason === 400 || reason === 413;
    if (isRefusedForEver && card) return { kind: 'again', data: { ...words, place, attempt }, afterMs: 0 };
    if (isRefusedForEver || ageMs >= REPLY_FOR_MS) return { kind: 'dead', reason: String(reason) };
    const afterMs = pauseAfter(outcome, attempt, this.#parts.timing.replies);
    return { kind: 'again', data: { ...data, attempt: attempt + 1 }, afterMs };
  }

  /** The sender's tenant, as the chat service's record of the conversation's member has it; undefined if it has none. */
  async senderTenant(place: Place): Promise<string | undefined> {
    const path = [conversationOf(place), 'members', messages.askerOf(place).id];
    const outcome = await this.#request(place, path, { method: 'GET' });
    if (outcome.kind === 'sent') return textIn(outcome.answer.tenantId);
    this.#parts.log.warn({ reason: outcome.reason }, "the chat service did not return a member's tenant");
    return undefined;
  }

  /** Sends a piece, and again while the channel's refusal is transient and there is time. */
  async #try(place: Place, piece: Piece, patienceMs = TRY_MS): Promise<SendOutcome> {
    const { clock, log } = this.#parts;
    const until = clock.steady() + patienceMs;
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#send(place, piece);
      if (outcome.kind === 'sent') return outcome;
      const { kind, reason } = outcome;
      if (kind === 'gone') log.warn({ reason }, 'a reply or an edit has no place to go to any more');
      const waitMs = pauseAfter(outcome, attempt, PATIENCE);
      if (!isTransient(reason) || clock.steady() + waitMs > until) return outcome;
      await delay(waitMs);
    }
  }

  /** Sends an activity. A new one answers the activity of its place, if there is one. */
  async #send(place: Place, { id, body }: Piece): Promise<SendOutcome> {
    const { collect, onOutcome } = this.#parts;
    if (collect && id === undefined) {
      await collect(JSON.parse(body));
      return { kind: 'sent', answer: {} };
    }
    const { conversation, activityId } = place.reference;
    const target = id ?? activityId;
    const path = [conversation.id, 'activities', ...(target ? [`${target}`] : [])];
    const outcome = await this.#request(place, path, { method: id === undefined ? 'POST' : 'PUT', body });
    onOutcome(outcome.kind === 'refused' ? refusalLabel(outcome) : outcome.kind, conversationOf(place));
    return outcome;
  }

  async #request(place: Place, path: string[], sent: Pick<HttpRequest, 'method' | 'body'>) {
    const { channel, serviceGate, tokens } = this.#parts;
    const ids = path.map(encodeURIComponent);
    const service = serviceGate(place.reference.serviceUrl);
    if (service === undefined || ids.includes('.') || ids.includes('..')) return undelivered(403);
    const token = await tokens?.get().catch(() => undefined); // Its fault is reported as a token's.
    if (tokens && !token) return undelivered('no token');
    const url = targetUnder(service, ['/v3/conversations', ...ids].join('/'));
    if (sent.body && isTargetedPlace(place)) url.search = 'isTargetedActivity=true';
    const authorization = token && { authorization: `Bearer ${token}` };
    const headers = { ...authorization, 'content-type': 'application/json' };
    const outcome = await channel.call({ ...sent, url, headers });
    if (outcome.kind !== 'answered') return undelivered(outcome.fault.kind);
    const { status } = outcome;
    if (status === 401 && token) tokens?.forget(token);
    if (status < 200 || status >= 300) return undelivered(status, readRetryAfter(outcome.headers));
    return { kind: 'sent' as const, answer: Object(parseJson(outcome.text)) }; // Some channels answer nothing at all.
  }
}

const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

function undelivered(reason: string | number, retryAfterMs = 0): Undelivered {
  return { kind: reason === 403 || reason === 404 ? 'gone' : 'refused', reason, retryAfterMs };
}

function pauseAfter({ retryAfterMs }: Undelivered, attempt: number, backoff: Backoff): number {
  return Math.max(retryAfterMs, backoffMs(attempt, backoff, Math.random()));
}

/** Too many messages, a conflict of the conversation (412), an expired token, a fault of the channel, or no answer at all. */
function isTransient(reason: string | number): boolean {
  return typeof reason === 'string' || [401, 412, 429].includes(reason) || reason >= 500;
}

function refusalLabel({ reason }: Undelivered): string {
  if (reason === 401) return 'unauthorized';
  if (reason === 429) return 'throttled';
  if (reason === 'cut off' || reason === 'too large') return 'failed';
  if (typeof reason === 'string') return reason;
  return reason < 500 ? 'refused' : 'failed';
}
