import { createServer } from 'node:http';
import { listen } from '../../src/sandbox/listen.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** One Postgres for the whole test run, started when the first test asks for a database. Each test gets a new one. */
export default async function servePostgres(): Promise<() => Promise<void>> {
  let starting: Promise<PostgresServer | string> | undefined;
  let databases = 0;
  const desk = createServer(async (_, response) => {
    try {
      starting ??= startPostgres().catch(({ message }: Error) => message);
      const server = await starting;
      if (typeof server === 'string') response.writeHead(503).end(server);
      else response.end(await server.createDatabase(`test_${++databases}`));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  const { url, close } = await listen(desk);
  process.env.POSTGRES_DESK = url;
  return async () => {
    await close();
    const server = await starting;
    if (typeof server === 'object') await server.close();
  };
}
