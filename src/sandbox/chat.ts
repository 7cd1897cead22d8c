import { randomUUID } from 'node:crypto';
import { jsonServer } from './listen.ts';

export type Reply = {
  /** The id of the message: new, or of the message that an edit changes. */
  id: string;
  method: string;
  conversationId: string;
  replyToId: string | undefined;
  isTargeted: boolean;
  activity: Record<string, unknown>;
};

export type Chat = ReturnType<typeof createChat>;

const ROUTE = /^(\w+) \/v3\/conversations\/([^/]+)\/activities(?:\/([^/?]*))?(\?isTargetedActivity=true)?$/;

/** The smallest chat service that a bot can talk to: accepts and keeps replies, and returns an id for each. */
export function createChat() {
  const replies: Reply[] = [];
  /** Statuses that refuse the next replies, in order. Replies after them are accepted. */
  const refusals: Array<{ status: number; retryAfter?: string }> = [];
  const server = jsonServer((route, activity) => {
    const refusal = refusals.shift();
    if (refusal) return [refusal.status, '', refusal.retryAfter ? { 'retry-after': refusal.retryAfter } : {}];
    const [, method = '', conversation, replyTo, query] = ROUTE.exec(route) ?? [];
    if (conversation === undefined) return [404];
    const replyToId = replyTo ? decodeURIComponent(replyTo) : undefined;
    const id = (method === 'PUT' && replyToId) || randomUUID();
    const conversationId = decodeURIComponent(conversation);
    replies.push({ id, method, conversationId, replyToId, isTargeted: query !== undefined, activity });
    return [200, { id }];
  });
  return { server, replies, refusals };
}

/** The messages as the chat finally shows them: each as last edited. */
export function shownIn(replies: readonly Reply[]): Reply[] {
  return [...new Map(replies.map((reply) => [reply.id, reply])).values()];
}

/** A message's words without its card: its text, or the summary that a notification shows. */
export const textOf = ({ activity }: Reply) => String(activity.text ?? activity.summary ?? '');

export function messageActivity(serviceUrl: string, text: string): Record<string, unknown> {
  return {
    type: 'message',
    id: randomUUID(),
    channelId: 'msteams',
    serviceUrl,
    conversation: { id: 'personal-chat', conversationType: 'personal', tenantId: 'sandbox-tenant' },
    from: { id: 'user-1', name: 'Alex', aadObjectId: '00000000-0000-0000-0000-000000000001' },
    recipient: { id: 'bot', name: 'NAC lookup' },
    textFormat: 'plain',
    text,
  };
}
