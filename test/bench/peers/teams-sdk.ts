import { createServer } from 'node:http';
import { App, ExpressAdapter } from '@microsoft/teams.apps';
import { ConsoleLogger } from '@microsoft/teams.common';
import { listen, lookUp } from './lookup.ts';

/** The Teams SDK as its README has it, on a server of ours since its own start() can't name an address. */
const logger = new ConsoleLogger('peer', { level: 'error' });
const server = createServer();
const app = new App({
  dangerouslyAllowUnauthenticatedRequests: true,
  httpServerAdapter: new ExpressAdapter(server, { logger }),
  logger,
});

app.on('message', async ({ activity, send }) => {
  await send(await lookUp(activity.text));
});

await app.initialize();
listen(server);
