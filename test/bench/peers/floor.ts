import { createServer } from 'node:http';
import { text as bodyOf } from 'node:stream/consumers';
import { agent, listen, lookUp } from './lookup.ts';

/** The least that does the work: node:http, undici and nothing else. No check, no limit, no log. */
const server = createServer(async (request, response) => {
  const activity = JSON.parse(await bodyOf(request));
  const text = await lookUp(activity.text);
  const reply = await agent.request({
    origin: activity.serviceUrl,
    path: `/v3/conversations/${encodeURIComponent(activity.conversation.id)}/activities/${activity.id}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'message',
      text,
      conversation: activity.conversation,
      from: activity.recipient,
      recipient: activity.from,
      replyToId: activity.id,
    }),
  });
  await reply.body.dump();
  response.writeHead(200).end();
});
listen(server);
