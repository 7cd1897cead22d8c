import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PgBoss } from 'pg-boss';
import { EmbeddedThread } from '../../src/store/embedded/thread.ts';
import { makeQueue, QUEUE_NAMES } from '../../src/store/queues.ts';
import type { Query } from '../../src/store/sql.ts';
import { createStore } from '../../src/store/store.ts';
import type { Workers } from '../../src/store/workers.ts';

/**
 * Makes the files of a new database in a folder `postgres`: the installed PGlite's own, then the tables of pg-boss and of the
 * bot. Takes 700 MB and some seconds.
 */
export async function makeNewDatabase(directory: string): Promise<void> {
  const files = join(directory, 'postgres');
  await mkdir(files, { recursive: true });
  const thread = new EmbeddedThread();
  await thread.open(files);
  await thread.close();
  await thread.end();
  await makeTables(directory);
}

/** What a start does. */
async function makeTables(directory: string): Promise<void> {
  const { promise: opened, resolve, reject: onError } = Promise.withResolvers<readonly Workers[]>();
  const onOpen = async (boss: PgBoss) => {
    for (const name of QUEUE_NAMES) await makeQueue(boss, name);
    resolve([]);
    return opened;
  };
  const store = await createStore({ directory }, { onError, onOpen });
  store.open();
  await opened;
  await dropDatedTables(store.query);
  await dropTemplates(store.query);
  await beginWalAnew(store.query);
  await store.close(0);
}

/** pg-boss makes two for its statistics of queues, named by day. The bot keeps no such statistics. */
async function dropDatedTables(query: Query): Promise<void> {
  const dated = await query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'pgboss.queue_stats'::regclass",
  );
  for (const { name } of dated) await query(`drop table ${name}`);
}

/** Databases are copied from these, and the bot makes no other. They are two thirds of the files. */
async function dropTemplates(query: Query): Promise<void> {
  await query('update pg_database set datistemplate = false');
  for (const name of ['template0', 'template1']) await query(`drop database ${name}`);
}

/** The log of all that made the tables is of no use after a checkpoint: one that has hardly begun takes its place. */
async function beginWalAnew(query: Query): Promise<void> {
  await query('select pg_switch_wal()');
  await query('set wal_recycle = off');
  await query('checkpoint');
}
