import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Client, ClientConfig, QueryConfig } from 'pg';
import { SCHEMA, TABLES_VERSION } from '../store/dialect.ts';
import { COPY_MS, onServer } from '../store/postgres.ts';
import { isWhole, readVersion } from '../store/sqlite.ts';
import { databaseCommand, UsageError } from './command.ts';

/** They belong to processes on the other database. */
const NO_LEASES = { lease: null, lease_until: null, holder: null, held_until: null };

const BATCH = 500;

/** `import FILE`: copies a bot's SQLite file into the empty database in DATABASE_URL, all or nothing. */
export const importFile = databaseCommand('import', async (path, database) => {
  if (!('url' in database)) throw new UsageError('set DATABASE_URL to the database that takes the rows');
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}`);
  using file = new DatabaseSync(path, { readOnly: true });
  if (readVersion(file) === 0) throw new UsageError(`${path} is no database of this bot`);
  if (readVersion(file) > TABLES_VERSION) throw new UsageError(`a newer release of the bot made ${path}`);
  if (!isWhole(file)) throw new UsageError(`${path} is damaged: take an earlier copy`);
  return await onServer(database.url, 'nac-lookup-bot import', (client) => fill(client, path, file));
});

async function fill(client: Client, path: string, file: DatabaseSync): Promise<string> {
  await client.query(`lock table ${SCHEMA}.job, ${SCHEMA}.kept in exclusive mode`);
  const any = `select 1 from ${SCHEMA}.job union all select 1 from ${SCHEMA}.kept limit 1`;
  if ((await client.query(any)).rows.length > 0)
    throw new UsageError(`the database in DATABASE_URL is not empty: its schema ${SCHEMA} has rows`);
  const jobs = await copy('job', file, client);
  const rows = await copy('kept', file, client);
  await client.query(
    `select setval(pg_get_serial_sequence('${SCHEMA}.job', 'seq'), coalesce(max(seq), 0) + 1, false) from ${SCHEMA}.job`,
  );
  await client.query('commit');
  return `Imported from ${path}: ${jobs} jobs, done and dead ones too, and ${rows} other rows.`;
}

async function copy(table: 'job' | 'kept', file: DatabaseSync, client: Client): Promise<number> {
  const text = `insert into ${SCHEMA}.${table} select * from json_populate_recordset(null::${SCHEMA}.${table}, $1)`;
  const insert: QueryConfig & ClientConfig = { text, query_timeout: COPY_MS };
  const rows = file.prepare(`select * from ${table} order by 1, 2`).all();
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH).map((row) => ({ ...row, ...NO_LEASES }));
    await client.query(insert, [JSON.stringify(batch)]);
  }
  return rows.length;
}
