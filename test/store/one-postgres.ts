import { createServer } from 'node:http';
import { listen } from '../../src/sandbox/listen.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** One Postgres for the whole test run, started when the first test asks for a database. Each test gets a new one. */
export default async function servePostgres(): Promise<() => Promise<void>> {
  let starting: Promise<PostgresServer | undefined> | undefined;
  let missing = '';
  let databases = 0;
  const skipTests = ({ message }: Error) => {
    missing = message;
    process.stderr.write(`Tests that need Postgres are skipped: ${message}\n`);
    return undefined;
  };
  const desk = createServer(async (_, response) => {
    try {
      starting ??= startPostgres().catch(skipTests);
      const server = await starting;
      const address = await server?.createDatabase(`test_${++databases}`);
      response.writeHead(address ? 200 : 503).end(address ?? missing);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  const { url, close } = await listen(desk);
  process.env.POSTGRES_DESK = url;
  return async () => {
    await close();
    await (await starting)?.close();
  };
}
