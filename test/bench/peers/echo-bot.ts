import { ActivityHandler, CloudAdapter, ConfigurationBotFrameworkAuthentication } from 'botbuilder';
import restify from 'restify';

/** botbuilder's sample of an echo bot, as it is made to start. */
class EchoBot extends ActivityHandler {
  constructor() {
    super();
    this.onMessage(async (context, next) => {
      await context.sendActivity(`Echo: ${context.activity.text}`);
      await next();
    });
  }
}

const adapter = new CloudAdapter(new ConfigurationBotFrameworkAuthentication());
const bot = new EchoBot();
const server = restify.createServer();
server.use(restify.plugins.bodyParser());
server.post('/api/messages', async (request, response) => {
  await adapter.process(request, response, (context) => bot.run(context));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`);
});
