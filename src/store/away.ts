import type { Logger } from 'pino';
import { StoreClosedError } from './closed.ts';

/** Refusals of the server itself (a FATAL error ends the connection), by SQLSTATE: Appendix A of Postgres' manual. */
const AWAY_STATES = /^(?:08\w{3}|28\w{3}|3D000|53300|57P0\d)$/;

/** System errors (`ECONNREFUSED`, `EAI_AGAIN`), and TLS errors of Node and OpenSSL. */
const AWAY_CODES = /^(?:E(?!RR_)[A-Z_]{3,}|ERR_(?:SSL|TLS|SOCKET)_\w+|[A-Z_]*CERT[A-Z_]*|UNABLE_TO_[A-Z_]+)$/;

/** Errors without a code: the driver's (pg 8), and those of pg-boss's listener. */
const AWAY_WORDS =
  /^(?:Connection terminated|LISTEN\/NOTIFY |timeout e|Query read timeout|Client (?:has encountered|was closed)|Cannot use a pool|The server does not support SSL|There was an error establishing an SSL)/;

/** Whether an error says that the database is away: no connection, a lost one, a server that lets nobody in, or no answer. */
export function isAway(error: unknown): boolean {
  if (error instanceof StoreClosedError) return true;
  const code = codeOf(error);
  return code === undefined
    ? AWAY_WORDS.test(wordsOf(error))
    : AWAY_STATES.test(code) || AWAY_CODES.test(code);
}

/** Whether the database itself refused a statement: the error has an SQLSTATE. */
export function isRefusal(error: unknown): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(codeOf(error) ?? '');
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** An error in words. The queues' engine tells of some as plain objects. */
export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('; '); // Its own message is empty.
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}

/** Logs a fault. A database that is away is left out, because the store says once when it goes and once when it is back. */
export function logFault(log: Logger, error: unknown, what: string): void {
  if (isAway(error)) log.debug({ err: error }, what);
  else log.error({ err: error }, what);
}
