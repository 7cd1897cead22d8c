import { ActivityHandler, CloudAdapter, ConfigurationBotFrameworkAuthentication } from 'botbuilder';
import restify from 'restify';

const isEcho = process.argv[2] === 'echo';
const answerTo = isEcho ? (text: string) => `Echo: ${text}` : (await import('./lookup.ts')).lookUp;

/** botbuilder and restify as botbuilder's samples use them; with the argument `echo`, its sample of an echo bot. */
class LookupBot extends ActivityHandler {
  constructor() {
    super();
    this.onMessage(async (context, next) => {
      await context.sendActivity(await answerTo(context.activity.text));
      await next();
    });
  }
}

const adapter = new CloudAdapter(new ConfigurationBotFrameworkAuthentication());
const bot = new LookupBot();
const server = restify.createServer();
server.use(restify.plugins.bodyParser());
server.post('/api/messages', async (request, response) => {
  await adapter.process(request, response, (context) => bot.run(context));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`);
});
