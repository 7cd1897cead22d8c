import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { readJson } from './read-json.ts';

/** A reply as the chat service received it. */
export type Reply = {
  method: string;
  conversationId: string;
  replyToId: string | undefined;
  activity: Record<string, unknown>;
};

export type Chat = {
  server: Server;
  replies: Reply[];
  /** Statuses with which the next replies are refused, in order; after them replies are taken again. */
  refusals: Array<{ status: number; retryAfter?: string }>;
};

/** The least chat service that a bot can talk to: takes replies, keeps them, and gives each an id. */
export function createChat(): Chat {
  const replies: Reply[] = [];
  const refusals: Chat['refusals'] = [];
  const server = createServer(async (request, response) => {
    const [, conversation, replyTo] =
      /^\/v3\/conversations\/([^/]+)\/activities(?:\/([^/]*))?$/.exec(request.url ?? '') ?? [];
    const activity = await readJson(request);
    const refusal = refusals.shift();
    if (refusal) {
      response.writeHead(
        refusal.status,
        refusal.retryAfter === undefined ? {} : { 'retry-after': refusal.retryAfter },
      );
      response.end();
      return;
    }
    response.writeHead(conversation === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: randomUUID() }));
    if (conversation === undefined) return;
    replies.push({
      method: request.method ?? '',
      conversationId: decodeURIComponent(conversation),
      replyToId: replyTo ? decodeURIComponent(replyTo) : undefined,
      activity,
    });
  });
  return { server, replies, refusals };
}

/** A message as a chat service delivers it. */
export function messageActivity(serviceUrl: string, text: string): Record<string, unknown> {
  return {
    type: 'message',
    id: randomUUID(),
    channelId: 'msteams',
    serviceUrl,
    conversation: { id: 'personal-chat', conversationType: 'personal', tenantId: 'sandbox-tenant' },
    from: { id: 'user-1', name: 'Alex', aadObjectId: '00000000-0000-0000-0000-000000000001' },
    recipient: { id: 'bot', name: 'NAC lookup' },
    locale: 'en-US',
    textFormat: 'plain',
    text,
  };
}
