import type { Activity, ResourceResponse } from 'botbuilder';
import type { Logger } from 'pino';
import { parseJson } from '../../domain/json.ts';
import { createServiceGate, type ServiceHosts } from '../../http/hosts.ts';
import { type HttpRequest, readRetryAfter, targetUnder, type Upstream } from '../../http.ts';
import type { AppTokens } from '../authentication/app-tokens.ts';
import { isTargeted, unflagged } from './targeted.ts';

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

/**
 * The operations of the Bot Connector API, version 3, that the SDK's adapter calls, by the SDK's names. Each activity
 * says itself at which service address. All throw a {@link DeliveryError} unless the channel took the activity.
 */
export type Connector = {
  conversations: {
    sendToConversation(conversationId: string, activity: Partial<Activity>): Promise<ResourceResponse>;
    replyToActivity(
      conversationId: string,
      activityId: string,
      activity: Partial<Activity>,
    ): Promise<ResourceResponse>;
    updateActivity: Connector['conversations']['replyToActivity'];
  };
};

export type ConnectorOptions = {
  channel: Upstream;
  /** Where replies may go: what was allowed when a question came may no longer be when its answer is ready. */
  serviceHosts: ServiceHosts;
  /** Undefined: authentication is off, and replies carry no token. */
  tokens: AppTokens | undefined;
  log: Logger;
};

/**
 * Sends replies over one undici agent. Stands in for the SDK's connector, which builds a client for each turn and
 * repeats a failed reply blindly (see CONTRIBUTING, "How it is built").
 */
export function createConnector({ channel, serviceHosts, tokens, log }: ConnectorOptions): Connector {
  const serviceGate = createServiceGate(serviceHosts);

  async function bearer(from: AppTokens): Promise<string> {
    try {
      return await from.get();
    } catch (error) {
      log.debug({ err: error }, 'the authority issued no token for a reply');
      throw new DeliveryError('no token');
    }
  }

  async function call(
    method: HttpRequest['method'],
    ids: readonly string[],
    activity: Partial<Activity>,
  ): Promise<ResourceResponse> {
    if (ids.some((id) => id === '.' || id === '..')) throw new DeliveryError(404);
    const service = serviceGate(activity.serviceUrl ?? '');
    if (service === undefined) throw new DeliveryError(403);
    const token = tokens && (await bearer(tokens));
    const [conversation = '', ...activityId] = ids.map(encodeURIComponent);
    const path = ['/v3/conversations', conversation, 'activities', ...activityId].join('/');
    const url = targetUnder(service, path);
    const outcome = await channel.call({
      method,
      url: isTargeted(activity) ? { ...url, search: '?isTargetedActivity=true' } : url,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
      },
      body: JSON.stringify(isTargeted(activity) ? targetedBody(method, activity) : activity),
    });
    if (outcome.kind !== 'answered') throw new DeliveryError(outcome.fault.kind);
    if (outcome.status === 401 && token !== undefined) tokens?.forget(token);
    if (outcome.status < 200 || outcome.status >= 300) {
      throw new DeliveryError(outcome.status, readRetryAfter(outcome.headers));
    }
    return readResource(outcome.text);
  }

  return {
    conversations: {
      sendToConversation: (conversationId, activity) => call('POST', [conversationId], activity),
      replyToActivity: (conversationId, activityId, activity) =>
        call('POST', [conversationId, activityId], activity),
      updateActivity: (conversationId, activityId, activity) =>
        call('PUT', [conversationId, activityId], activity),
    },
  };
}

/** The query says that the message is targeted. Teams refuses an edit that names a recipient. */
function targetedBody(method: HttpRequest['method'], activity: Partial<Activity>): Partial<Activity> {
  const { recipient, ...body } = activity;
  return method === 'PUT' || !recipient ? body : { ...body, recipient: unflagged(recipient) };
}

/** Channels answer `{"id"}`, some of them nothing at all. */
function readResource(text: string): ResourceResponse {
  const { id } = { ...(parseJson(text) as { id?: unknown } | null) };
  return { id: typeof id === 'string' ? id : '' };
}
