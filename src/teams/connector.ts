import type { Activity } from 'botbuilder';
import type { Logger } from 'pino';
import { parseJson } from '../domain/text.ts';
import { createServiceGate, type ServiceHosts } from '../http/hosts.ts';
import { type HttpRequest, readRetryAfter, targetUnder, type Upstream } from '../http.ts';
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

export type Connector = ReturnType<typeof createConnector>;

type ConnectorOptions = {
  channel: Upstream;
  /** Where replies may go: what was allowed when a question came may no longer be when its answer is ready. */
  serviceHosts: ServiceHosts;
  /** Undefined: authentication is off, and replies carry no token. */
  tokens: AppTokens | undefined;
  /** Called with what became of each activity, as a metric's label says it. */
  onOutcome?: (outcome: string, isTyping: boolean) => void;
  log: Logger;
};

/**
 * The Bot Connector API, version 3, over one undici agent. Sends activities, and edits of them, where they say. Throws a
 * {@link DeliveryError} unless the channel took the activity.
 */
export function createConnector({ channel, serviceHosts, tokens, onOutcome, log }: ConnectorOptions) {
  const serviceGate = createServiceGate(serviceHosts);

  /** @param activityId of the message that is answered, or edited */
  async function call(method: HttpRequest['method'], activity: Partial<Activity>, activityId?: string) {
    const ids = [activity.conversation?.id ?? '', ...(activityId ? [activityId] : [])];
    if (ids.some((id) => id === '.' || id === '..')) throw new DeliveryError(404);
    const service = serviceGate(activity.serviceUrl ?? '');
    if (service === undefined) throw new DeliveryError(403);
    const token = await tokens?.get().catch((error: unknown) => {
      log.debug({ err: error }, 'the authority issued no token for a reply');
      throw new DeliveryError('no token');
    });
    const [conversation, ...others] = ids.map(encodeURIComponent);
    const url = targetUnder(service, ['/v3/conversations', conversation, 'activities', ...others].join('/'));
    const isPrivate = isTargeted(activity);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const outcome = await channel.call({
      method,
      url: isPrivate ? { ...url, search: '?isTargetedActivity=true' } : url,
      headers: { ...authorization, 'content-type': 'application/json' },
      body: JSON.stringify(isPrivate ? targetedBody(activity, method === 'PUT') : activity),
    });
    if (outcome.kind !== 'answered') throw new DeliveryError(outcome.fault.kind);
    const { status, headers, text } = outcome;
    if (status === 401 && token !== undefined) tokens?.forget(token);
    if (status < 200 || status >= 300) throw new DeliveryError(status, readRetryAfter(headers));
    const { id } = { ...(parseJson(text) as { id?: unknown } | null) }; // Some channels answer nothing at all.
    return { id: typeof id === 'string' ? id : '' };
  }

  const observed: typeof call = async (method, activity, activityId) => {
    const isTyping = activity.type === 'typing';
    try {
      const resource = await call(method, activity, activityId);
      onOutcome?.('sent', isTyping);
      return resource;
    } catch (error) {
      if (error instanceof DeliveryError) onOutcome?.(labelOf(error), isTyping);
      throw error;
    }
  };

  return {
    send: (activity: Partial<Activity>) => observed('POST', activity, activity.replyToId),
    update: (activity: Partial<Activity>) => observed('PUT', activity, activity.id),
  };
}

/** The reasons that are labels themselves; others are a fault of the channel, or of the way to it. */
const LABELS: Readonly<Record<string, string>> = {
  'no token': 'no token',
  'timed out': 'timed out',
  untrusted: 'untrusted',
  'cut off': 'failed',
  'too large': 'failed',
  401: 'unauthorized',
  403: 'gone',
  404: 'gone',
  429: 'throttled',
};

function labelOf({ reason }: DeliveryError): string {
  const otherwise = typeof reason === 'string' ? 'unreachable' : reason >= 500 ? 'failed' : 'refused';
  return LABELS[reason] ?? otherwise;
}
