import { createServer } from 'node:http';
import { listen } from '../../src/sandbox/listen.ts';
import type { PostgresServer } from './postgres.ts';

/** One Postgres for the whole test run, started when the first test asks for a database. Each test gets a new one. */
export default async function servePostgres(): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  let databases = 0;
  const desk = createServer(async (_, response) => {
    try {
      server ??= startServer();
      const name = `test_${++databases}`;
      response.end(await (await server).createDatabase(name));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  const { url, close } = await listen(desk);
  process.env.POSTGRES_DESK = url;
  return async () => {
    await close();
    await (await server)?.close();
  };
}

/** Starts the server without the package's hooks, which end the test run with 0, whatever the tests have said. */
async function startServer(): Promise<PostgresServer> {
  const events = ['beforeExit', 'exit'] as const;
  const known = new Set(events.flatMap((event) => process.listeners(event as 'exit')));
  const { startPostgres } = await import('./postgres.ts');
  for (const event of events)
    for (const listener of process.listeners(event as 'exit'))
      if (!known.has(listener)) process.off(event, listener);
  return startPostgres();
}
