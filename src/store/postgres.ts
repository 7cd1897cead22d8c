import type { ClientBase, ClientConfig, PoolClient, QueryConfig } from 'pg';
import { parse } from 'pg-connection-string';
import type { Secret } from '../domain/secret.ts';
import { unlessThrown } from '../domain/text.ts';
import { isLoopback } from '../http.ts';
import type { DatabaseSettings, Engine, Value } from './dialect.ts';
import { SCHEMA, SERVER_TABLES, TABLES_VERSION, toServer } from './dialect.ts';
import { LastingFaultError, within } from './faults.ts';

/** How the connection to a database server is protected; `none needed`: it stays on this machine. */
export type ServerTls = 'none needed' | 'TLS' | 'unchecked TLS' | 'no TLS';

/** Reads a Postgres address with the driver's own parser, as the connection does. An unreadable one is never connected to. */
export function serverTlsOf(database: DatabaseSettings): ServerTls {
  if (!('url' in database)) return 'none needed';
  const { host = '', ssl } = unlessThrown(Error, () => parse(database.url.reveal())) ?? {};
  if (!host || host.startsWith('/') || isLoopback(host)) return 'none needed';
  if (!ssl) return 'no TLS';
  const isUnchecked = typeof ssl === 'object' ? ssl.rejectUnauthorized === false : ssl === 'no-verify';
  return isUnchecked ? 'unchecked TLS' : 'TLS';
}

/** The limits of a call: its caller's, the server's for the statement, and the driver's for a connection without an answer. */
const WAITS = { callMs: 2000, statementMs: 10_000, connectionMs: 12_000 };
const CLOSES_WITHIN_MS = 1000;

/** Opens a database on a server, and makes the tables if they are missing. @throws LastingFaultError, the driver's errors */
export async function openPostgres(url: Secret, waits = WAITS): Promise<Engine> {
  const { default: pg } = await import('pg'); // No lookup waits for it.
  // Counts and milliseconds come as `bigint`.
  const { builtins, getTypeParser } = pg.types;
  const types = { getTypeParser: (oid: number) => (oid === builtins.INT8 ? Number : getTypeParser(oid)) };
  const pool = new pg.Pool({
    ...connectionTo(url, 'nac-lookup-bot', waits.connectionMs),
    keepAlive: true,
    max: 10,
    types,
    // By a statement, because a pooler may refuse start parameters. A client that only hung up would leave the server waiting.
    onConnect: async (client) => void (await client.query(`set statement_timeout = ${waits.statementMs}`)),
  });
  pool.on('error', () => {}); // An idle connection was lost; the next call shows whether the server is there.
  const close = () => within(CLOSES_WITHIN_MS, pool.end(), 'the connections could not be closed');
  try {
    await migrate(await pool.connect());
  } catch (error) {
    await close().catch(() => {}); // The reason is thrown.
    throw error;
  }

  async function query<Row>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    const running = pool.query(toServer(sql), [...values]);
    return (await within(waits.callMs, running, 'the database does not answer')).rows;
  }
  return { query, close };
}

/** @throws LastingFaultError if the driver cannot read the address, or a file that it names */
export function connectionTo(url: Secret, name: string, queryMs = WAITS.connectionMs): ClientConfig {
  const connectionString = url.reveal();
  if (!unlessThrown(Error, () => parse(connectionString))) throw new LastingFaultError('address unreadable');
  return {
    connectionString,
    application_name: name,
    connectionTimeoutMillis: WAITS.connectionMs,
    query_timeout: queryMs,
  };
}

/** The driver's limit for a statement that makes tables or copies rows. */
export const COPY_MS = 10 * 60_000;

/** Any number; the same in every release, so that processes which start at once make the tables one after another. */
const MIGRATION_LOCK = 724_310;

async function migrate(client: PoolClient): Promise<void> {
  try {
    if ((await readVersion(client)) >= TABLES_VERSION) return;
    await client.query('begin');
    await makeTables(client);
    await client.query('commit');
  } finally {
    client.release(true); // After a failure it may be in a transaction.
  }
}

/** Makes missing tables, in a transaction. From here on it has its own limits: a step or a copy may take long, a lock may not. */
export async function makeTables(client: ClientBase): Promise<void> {
  await client.query("set local lock_timeout = '10s'; set local statement_timeout = 0");
  await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  if ((await readVersion(client)) >= TABLES_VERSION) return;
  const step: QueryConfig & ClientConfig = { text: SERVER_TABLES, query_timeout: COPY_MS };
  await client.query(step);
}

async function readVersion(client: ClientBase): Promise<number> {
  const tables = `select 1 from pg_tables where schemaname = '${SCHEMA}' and tablename = 'meta'`;
  if ((await client.query(tables)).rows.length === 0) return 0;
  return Number((await client.query(`select version from ${SCHEMA}.meta`)).rows[0]?.version);
}
