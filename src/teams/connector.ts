import type { Activity } from 'botbuilder';
import type { Logger } from 'pino';
import { withoutThread } from '../../dialogs/render/message.ts';
import { parseJson } from '../domain/text.ts';
import { readRetryAfter, type ServiceGate, targetUnder, type Upstream } from '../http.ts';
import type { AppTokens } from './authentication/app-tokens.ts';

/** The channel took an activity, and gave it an id if it gives any; or it did not. */
export type Delivery = { kind: 'sent'; id: string | undefined } | Undelivered;

/**
 * @property kind `gone`: refused for ever, because the conversation is gone, or the bot was thrown out of it
 * @property reason the channel's HTTP status, or what kept an answer from coming
 * @property retryAfterMs how long the channel asks to wait; 0 if it does not say
 */
export type Undelivered = { kind: 'gone' | 'refused'; reason: string | number; retryAfterMs: number };

type ConnectorOptions = {
  channel: Upstream;
  /** Where replies may go: what was allowed when a question came may no longer be when its answer is ready. */
  serviceGate: ServiceGate;
  /** Undefined: authentication is off, and replies carry no token. */
  tokens: AppTokens | undefined;
  /** Called with the outcome of each activity, as a metric's label. @param conversation without its thread */
  onOutcome(outcome: string, conversation: string): void;
  log: Logger;
};

/** The Bot Connector API, version 3. */
export function createConnector(options: ConnectorOptions) {
  return {
    /**
     * Sends an activity, or edits the message of its `id`. A new one answers the activity of its `replyToId`, if there is one.
     * @param isPrivate whether its recipient alone may see it
     */
    async send(activity: Partial<Activity>, isPrivate: boolean): Promise<Delivery> {
      const method = activity.id === undefined ? 'POST' : 'PUT';
      const id = activity.id ?? activity.replyToId;
      const outcome = await request(options, method, activity, ['activities', ...(id ? [id] : [])], {
        body: activity,
        query: isPrivate ? 'isTargetedActivity=true' : '',
      });
      const label = outcome.kind === 'answered' ? 'sent' : labelOf(outcome);
      options.onOutcome(label, withoutThread(activity.conversation?.id ?? ''));
      if (outcome.kind !== 'answered') return outcome;
      return { kind: 'sent', id: textIn(outcome.body.id) };
    },
    /** The sender's tenant, as the chat service's record of the conversation's member has it; undefined if it has none. */
    async senderTenant({ serviceUrl, conversation, from }: Activity): Promise<string | undefined> {
      if (!from?.id) return undefined;
      const channel = { ...conversation, id: withoutThread(conversation.id) };
      const asked = { serviceUrl, conversation: channel };
      const outcome = await request(options, 'GET', asked, ['members', from.id]);
      if (outcome.kind === 'answered') return textIn(outcome.body.tenantId);
      options.log.warn({ reason: outcome.reason }, "the chat service did not return a member's tenant");
      return undefined;
    },
  };
}

const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

type Answered = { kind: 'answered'; body: Record<string, unknown> };

async function request(
  { channel, serviceGate, tokens }: ConnectorOptions,
  method: 'GET' | 'POST' | 'PUT',
  { serviceUrl = '', conversation }: Partial<Activity>,
  path: readonly string[],
  { body, query = '' }: { body?: object; query?: string } = {},
): Promise<Answered | Undelivered> {
  const ids = [conversation?.id ?? '', ...path].map(encodeURIComponent);
  const service = serviceGate(serviceUrl);
  if (service === undefined || ids.includes('.') || ids.includes('..')) return undelivered(403);
  const token = await tokens?.get().catch(() => undefined); // Its fault is reported as a token's.
  if (tokens && !token) return undelivered('no token');
  const url = targetUnder(service, ['/v3/conversations', ...ids].join('/'));
  url.search = query;
  const outcome = await channel.call({
    method,
    url,
    headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (outcome.kind !== 'answered') return undelivered(outcome.fault.kind);
  const { status, headers, text } = outcome;
  if (status === 401 && token) tokens?.forget(token);
  if (status < 200 || status >= 300) return undelivered(status, readRetryAfter(headers));
  return { kind: 'answered', body: Object(parseJson(text)) }; // Some channels answer nothing at all.
}

function undelivered(reason: string | number, retryAfterMs = 0): Undelivered {
  return { kind: reason === 403 || reason === 404 ? 'gone' : 'refused', reason, retryAfterMs };
}

const LABELS: Readonly<Record<string, string>> = {
  401: 'unauthorized',
  403: 'gone',
  404: 'gone',
  429: 'throttled',
  'cut off': 'failed',
  'too large': 'failed',
};

function labelOf({ reason }: Undelivered): string {
  if (typeof reason === 'string') return LABELS[reason] ?? reason;
  return LABELS[reason] ?? (reason < 500 ? 'refused' : 'failed');
}
