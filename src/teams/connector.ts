import { type Activity, ActivityTypes } from 'botbuilder';
import type { Logger } from 'pino';
import { withoutThread } from '../../dialogs/render/message.ts';
import { parseJson } from '../domain/text.ts';
import { type HttpRequest, readRetryAfter, type ServiceGate, targetUnder, type Upstream } from '../http.ts';
import { isTargeted, targetedBody } from './activity.ts';
import type { AppTokens } from './authentication/app-tokens.ts';

/** The channel did not take a reply. The turn that hoped to answer is then not acknowledged. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** The channel's HTTP status, or what kept an answer from coming. */
  readonly reason: string | number;
  /** How long the channel asked to wait; 0 where it did not say. */
  readonly retryAfterMs: number;

  constructor(reason: string | number, retryAfterMs = 0) {
    super(`the channel did not take the reply: ${reason}`);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether it is refused for ever: the conversation is gone, or the bot was thrown out of it. */
  get isGone(): boolean {
    return this.reason === 403 || this.reason === 404;
  }
}

type ConnectorOptions = {
  channel: Upstream;
  /** Where replies may go: what was allowed when a question came may no longer be when its answer is ready. */
  serviceGate: ServiceGate;
  /** Undefined: authentication is off, and replies carry no token. */
  tokens: AppTokens | undefined;
  /** Called with the outcome of each activity but signs of typing, as a metric's label. @param conversation without its thread */
  onOutcome(outcome: string, conversation: string): void;
  log: Logger;
};

/** The Bot Connector API, version 3. Throws a {@link DeliveryError} unless the channel took the activity. */
export function createConnector(options: ConnectorOptions) {
  return {
    /**
     * Sends an activity, or edits the message of its `id`. Returns the message's id, if the channel gave one.
     * A new one answers the activity of its `replyToId`, if there is one.
     */
    async send(activity: Partial<Activity>): Promise<string | undefined> {
      const method = activity.id === undefined ? 'POST' : 'PUT';
      const isPrivate = isTargeted(activity.recipient);
      const id = activity.id ?? activity.replyToId;
      let outcome: string | undefined;
      try {
        const answer = await request(options, method, activity, ['activities', ...(id ? [id] : [])], {
          body: isPrivate ? targetedBody(activity, method === 'PUT') : activity,
          ...(isPrivate && { query: 'isTargetedActivity=true' }),
        });
        outcome = 'sent';
        return typeof answer.id === 'string' && answer.id !== '' ? answer.id : undefined;
      } catch (error) {
        if (error instanceof DeliveryError) outcome = labelOf(error);
        throw error;
      } finally {
        if (outcome && activity.type !== ActivityTypes.Typing)
          options.onOutcome(outcome, withoutThread(activity.conversation?.id ?? ''));
      }
    },
    /** The sender's tenant, as the chat service's record of the conversation's member has it; undefined if it has none. */
    async senderTenant({ serviceUrl, conversation, from }: Activity): Promise<string | undefined> {
      if (!from?.id) return undefined;
      const channel = { ...conversation, id: withoutThread(conversation.id) };
      const asking = request(options, 'GET', { serviceUrl, conversation: channel }, ['members', from.id]);
      const { tenantId } = await asking.catch((error: unknown): Record<string, unknown> => {
        if (!(error instanceof DeliveryError)) throw error;
        options.log.warn({ reason: error.reason }, "the chat service did not return a member's tenant");
        return {};
      });
      return typeof tenantId === 'string' ? tenantId : undefined;
    },
  };
}

async function request(
  { channel, serviceGate, tokens, log }: ConnectorOptions,
  method: HttpRequest['method'],
  { serviceUrl = '', conversation }: Partial<Activity>,
  path: readonly string[],
  { body, query = '' }: { body?: object; query?: string } = {},
): Promise<Record<string, unknown>> {
  const ids = [conversation?.id ?? '', ...path];
  if (ids.some((id) => id === '.' || id === '..')) throw new DeliveryError(404);
  const service = serviceGate(serviceUrl);
  if (service === undefined) throw new DeliveryError(403);
  const token = await tokens?.get().catch((error: unknown) => {
    log.debug({ err: error }, 'the authority issued no token for a reply');
    throw new DeliveryError('no token');
  });
  const url = targetUnder(service, ['/v3/conversations', ...ids.map(encodeURIComponent)].join('/'));
  url.search = query;
  const outcome = await channel.call({
    method,
    url,
    headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (outcome.kind !== 'answered') throw new DeliveryError(outcome.fault.kind);
  const { status, headers, text } = outcome;
  if (status === 401 && token !== undefined) tokens?.forget(token);
  if (status < 200 || status >= 300) throw new DeliveryError(status, readRetryAfter(headers));
  return Object(parseJson(text)); // Some channels answer nothing at all.
}

const LABELS: Record<number, string> = { 401: 'unauthorized', 403: 'gone', 404: 'gone', 429: 'throttled' };

function labelOf({ reason }: DeliveryError): string {
  if (typeof reason === 'number') return LABELS[reason] ?? (reason >= 500 ? 'failed' : 'refused');
  if (['no token', 'timed out', 'untrusted'].includes(reason)) return reason;
  return ['cut off', 'too large'].includes(reason) ? 'failed' : 'unreachable';
}
