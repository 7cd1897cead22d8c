import type { Client, ClientConfig, QueryConfig } from 'pg';
import { parse } from 'pg-connection-string';
import type { Secret } from '../domain/secret.ts';
import { unlessThrown } from '../domain/text.ts';
import { isLoopback } from '../http.ts';
import type { DatabaseSettings, Engine, Value } from './dialect.ts';
import { SCHEMA, SERVER_TABLES, toServer } from './dialect.ts';
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
const NAME = 'nac-lookup-bot';

/** Opens a database on a server, and makes the tables if they are missing. @throws LastingFaultError, the driver's errors */
export async function openPostgres(url: Secret, waits = WAITS): Promise<Engine> {
  await onServer(url, NAME, (client) => client.query('commit'));
  const { default: pg } = await import('pg'); // No lookup waits for it.
  pg.defaults.parseInt8 = true; // Counts and milliseconds come as `bigint`.
  const pool = new pg.Pool({
    ...connectionTo(url, NAME, waits.connectionMs),
    keepAlive: true,
    max: 10,
    // By a statement, because a pooler may refuse start parameters. A client that only hung up would leave the server waiting.
    onConnect: async (client) => void (await client.query(`set statement_timeout = ${waits.statementMs}`)),
  });
  pool.on('error', () => {}); // An idle connection was lost; the next call shows whether the server is there.

  async function query<Row>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    const running = pool.query(toServer(sql), [...values]);
    return (await within(waits.callMs, running, 'the database does not answer')).rows;
  }
  return {
    query,
    close: () => within(CLOSES_WITHIN_MS, pool.end(), 'the connections could not be closed'),
  };
}

/** @throws LastingFaultError if the driver cannot read the address, or a file that it names */
function connectionTo(url: Secret, name: string, queryMs: number): ClientConfig {
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

/**
 * Works on a connection of its own, in one transaction, in which missing tables are made. Nothing is kept unless the work
 * commits. @throws as {@link openPostgres}
 */
export async function onServer<T>(url: Secret, name: string, work: (client: Client) => Promise<T>) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(connectionTo(url, name, WAITS.connectionMs));
  client.on('error', () => {}); // A lost connection: the statement under way fails too, and says why.
  try {
    await client.connect();
    await client.query('begin');
    await makeTables(client);
    return await work(client);
  } finally {
    // The work is done, or its own fault is thrown.
    await within(CLOSES_WITHIN_MS, client.end(), 'the connection could not be closed').catch(() => {});
  }
}

/** From here on the transaction has its own limits: a step or a copy may take long, a lock may not. */
async function makeTables(client: Client): Promise<void> {
  await client.query("set local lock_timeout = '10s'; set local statement_timeout = 0");
  await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  const made = `select 1 from pg_tables where schemaname = '${SCHEMA}' and tablename = 'meta'`;
  if ((await client.query(made)).rows.length > 0) return; // A newer release only adds to them.
  const step: QueryConfig & ClientConfig = { text: SERVER_TABLES, query_timeout: COPY_MS };
  await client.query(step);
}
