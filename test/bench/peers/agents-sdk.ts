import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { AgentApplication, createCloudAdapter } from '@microsoft/agents-hosting';
import { listen, lookUp } from './lookup.ts';

/** The Microsoft 365 Agents SDK as its README uses it on node:http; this is the answer its adapter asks for. */
class Answer extends ServerResponse<IncomingMessage> {
  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  send(body?: unknown): this {
    this.write(JSON.stringify(body));
    return this;
  }
}

const bot = new AgentApplication();
bot.onActivity('message', async (context) => {
  await context.sendActivity(await lookUp(context.activity.text ?? ''));
});
const { adapter } = createCloudAdapter(bot);
const server = createServer({ ServerResponse: Answer }, async (request, response) => {
  const body: Record<string, unknown> = JSON.parse(await text(request));
  const { headers, method } = request;
  await adapter.process({ body, headers, method }, response, (context) => bot.run(context));
});
listen(server);
