import type { Logger } from 'pino';
import { endsWithin } from '../domain/timing.ts';

/** The database is not open yet, cannot be opened, has ended, or does not do what it is asked for now. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';
}

/** The task's result. A task that takes longer goes on, but nobody waits for it. @throws StoreClosedError then */
export async function within<Result>(ms: number, task: Promise<Result>, otherwise: string): Promise<Result> {
  if (await endsWithin(task, ms)) return task;
  throw new StoreClosedError(otherwise);
}

/** Refusals of the server itself (a FATAL error ends the connection), by SQLSTATE: Appendix A of Postgres' manual. */
const AWAY_STATES = /^(?:08\w{3}|28\w{3}|3D000|53\w{3}|57P0\d|25006)$/;

/** System errors (`ECONNREFUSED`, `EAI_AGAIN`), and TLS errors of Node and OpenSSL. */
const AWAY_CODES = /^(?:E(?!RR_)[A-Z_]{3,}|ERR_(?:SSL|TLS|SOCKET)_\w+|[A-Z_]*CERT[A-Z_]*|UNABLE_TO_[A-Z_]+)$/;

/** Errors of the driver (pg 8) without a code. */
const AWAY_WORDS =
  /^(?:Connection terminated|timeout e|Query read timeout|Client (?:has encountered|was closed)|Cannot use a pool|The server does not support SSL|There was an error establishing an SSL)/;

/** SQLite's results that say something of its file or disk (https://sqlite.org/rescode.html). */
const SQLITE_AWAY = { busy: 5, noMemory: 7, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14 };

/** SQLite's primary result code; undefined for an error of another kind. */
export function sqliteCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

/** Whether an error says that the database is away: not reached, full, or open for reading only. */
export function isAway(error: unknown): boolean {
  if (error instanceof StoreClosedError) return true;
  const sqlite = sqliteCodeOf(error);
  if (sqlite !== undefined) return Object.values(SQLITE_AWAY).includes(sqlite);
  const code = codeOf(error);
  return code === undefined
    ? AWAY_WORDS.test(wordsOf(error))
    : AWAY_STATES.test(code) || AWAY_CODES.test(code);
}

/** What is wrong with a database that is away, in the words of `/readyz`. */
export function stateOf(error: unknown): string {
  if (codeOf(error) === '53100' || sqliteCodeOf(error) === SQLITE_AWAY.full) return 'is full';
  if (codeOf(error) === '25006' || sqliteCodeOf(error) === SQLITE_AWAY.readOnly) return 'takes no changes';
  return 'does not answer';
}

/** Whether the database itself refused a statement: the error has an SQLSTATE. */
export function isRefusal(error: unknown): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(codeOf(error) ?? '');
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** An error in words. */
export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('; '); // Its own message is empty.
  return error instanceof Error ? error.message : String(error);
}

/** Logs a fault. A database that is away is left out, because the store says once when it goes and once when it is back. */
export function logFault(log: Logger, error: unknown, what: string): void {
  if (isAway(error)) log.debug({ err: error }, what);
  else log.error({ err: error }, what);
}
