import pg from 'pg';
import { skipTest } from '../skip-test.ts';

/** The address of a new, empty database on the one server of the whole test run. Without a server, skips the test. */
export async function newDatabase(): Promise<string> {
  const answer = await fetch(String(process.env.POSTGRES_DESK));
  const text = await answer.text();
  if (answer.status === 503) skipTest(text);
  if (!answer.ok) throw new Error(text);
  return text;
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

/**
 * The statement that ends connections, for half a second: one that is being made is listed only when it is through. What they are
 * to meet is committed before, because they come back at once.
 */
const endConnections = (which: string) => `do $$ begin
  for i in 1..20 loop
    perform pg_stat_clear_snapshot();
    perform pg_terminate_backend(pid) from pg_stat_activity where ${which};
    perform pg_sleep(0.025);
  end loop;
end $$`;

/** Lets a database only be read, and ends its connections. @returns what lets it be written again */
export async function makeReadOnly(url: string): Promise<() => Promise<unknown>> {
  const elsewhere = Object.assign(new URL(url), { pathname: '/postgres' }).href;
  const name = new URL(url).pathname.slice(1);
  const set = (value: 'on' | 'off') =>
    runIn(
      elsewhere,
      `alter database ${name} set default_transaction_read_only = ${value}; commit;
       ${endConnections(`datname = '${name}'`)}`,
    );
  await set('on');
  return () => set('off');
}

/** Changes the password of a database's user, and ends the user's connections. @returns what sets the password back */
export async function changePassword(database: string, url: string): Promise<() => Promise<unknown>> {
  const { username, password } = new URL(url);
  const set = (changed: string) => `alter role ${username} password '${changed}'`;
  await runIn(database, `${set('canary-second')}; commit; ${endConnections(`usename = '${username}'`)}`);
  return () => runIn(database, set(password));
}

/** Takes a user the right to the bot's schema (SQLSTATE 42501). @returns what gives it back */
export async function revokeUsage(database: string, url: string): Promise<() => Promise<unknown>> {
  const { username } = new URL(url);
  await runIn(database, `revoke all on schema nac_lookup_bot from ${username}`);
  return () => runIn(database, `grant all on schema nac_lookup_bot to ${username}`);
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
