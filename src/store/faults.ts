import { settlesWithin } from '../domain/timing.ts';

/** The database is not open, has ended, or does not do its work now. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';
}

/** The faults that waiting does not end, each with its cause and cure for an operator. */
export const LASTING_FAULTS = {
  'password refused':
    'the database server refuses the user name or password in DATABASE_URL: correct them there, or set a new password',
  'user refused':
    'the database server does not let the user in DATABASE_URL in from here: check the user, sslmode, and pg_hba.conf on the server',
  'no such database':
    'the database that DATABASE_URL names does not exist on the server: create it, or name another',
  'right missing':
    'the user in DATABASE_URL lacks a right in the database: grant CONNECT and CREATE on it, and make this user the owner of the schema nac_lookup_bot',
  'no TLS':
    'the connection to the database server cannot be secured: check sslmode and sslrootcert in DATABASE_URL, and the certificate of the server',
  'address unreadable':
    'DATABASE_URL cannot be used: write special characters as %XX, and name only files that this user can read',
  'folder in use': 'another bot uses the folder in DATA_DIR: stop that bot, or set another folder',
  'no SQLite':
    'nac-lookup-bot.db in DATA_DIR is no SQLite database, or is damaged: put back a copy, or set another folder',
  'files not writable':
    'this user may not write to the files in DATA_DIR: change the rights, or set another folder',
  'newer release':
    'a newer release of the bot made nac-lookup-bot.db in DATA_DIR: start that release, or put back an older copy',
  'folder of 0.1.0':
    'DATA_DIR holds data of release 0.1.0, which this release cannot read: let 0.1.0 empty its queues, then set another folder; people connect again, and alerts need "alerts here as" again',
} as const;
export type LastingFault = keyof typeof LASTING_FAULTS;

export class LastingFaultError extends Error {
  override readonly name = 'LastingFaultError';
  readonly fault: LastingFault;

  constructor(fault: LastingFault) {
    super(`the database will not open: ${fault}`);
    this.fault = fault;
  }
}

/**
 * A wrong statement or value, by SQLSTATE (Appendix A of Postgres' manual) or SQLite's code (https://sqlite.org/rescode.html):
 * ERROR, TOOBIG, CONSTRAINT, MISMATCH, MISUSE, RANGE.
 */
const BUG_CODES = /^(?:(?:0A|2[1-4]|42(?!501)|54)\w{3}|SQLITE_(?:1|18|19|20|21|25))$/;
const NO_TLS_WORDS = /^(?:The server does not support SSL|There was an error establishing an SSL)/;

/** The meaning of a code: why a database will never open, or its state, if there is a better word than that it does not answer. */
const CODES: Readonly<Record<string, { lasting?: LastingFault; state?: string }>> = {
  '28P01': { lasting: 'password refused' },
  '28000': { lasting: 'user refused' },
  '3D000': { lasting: 'no such database' },
  '42501': { lasting: 'right missing', state: 'takes no changes' },
  '53100': { state: 'is full' },
  '53300': { state: 'has no connection left' },
  '25006': { state: 'takes no changes' },
  SQLITE_3: { lasting: 'files not writable' }, // PERM
  SQLITE_8: { lasting: 'files not writable', state: 'takes no changes' }, // READONLY
  SQLITE_11: { lasting: 'no SQLite' }, // CORRUPT
  SQLITE_13: { state: 'is full' }, // FULL
  SQLITE_14: { lasting: 'files not writable' }, // CANTOPEN
  SQLITE_26: { lasting: 'no SQLite' }, // NOTADB
};

/** SQLSTATE, the system's code, or `SQLITE_` with SQLite's primary result code; undefined: the error has none. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('errcode' in error) return `SQLITE_${Number(error.errcode) & 0xff}`;
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the database is away: not reached, full, or open for reading only. A wrong statement and a TypeError are bugs of ours. */
export const isAway = (error: unknown) =>
  error instanceof Error && !(error instanceof TypeError) && !BUG_CODES.test(errorCode(error) ?? '');

/** Whether the database itself refused a statement: the error has an SQLSTATE. */
export const isRefusal = (error: unknown) => /^(?=.*\d)[0-9A-Z]{5}$/.test(errorCode(error) ?? '');

/** Why a database will not open; undefined for a fault that can pass. @param error from opening it */
export function lastingFaultOf(error: unknown): LastingFault | undefined {
  if (error instanceof LastingFaultError) return error.fault;
  const code = errorCode(error);
  if (code === undefined) return NO_TLS_WORDS.test(wordsOf(error)) ? 'no TLS' : undefined;
  if (/CERT|^UNABLE_TO_|^ERR_(?:SSL|TLS)_/.test(code)) return 'no TLS';
  return CODES[code]?.lasting;
}

/** Returns the state of a database that is away, in the words of `/readyz`. */
export const awayState = (error: unknown) => CODES[errorCode(error) ?? '']?.state ?? 'does not answer';

export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join('; '); // Its own message is empty.
  return error instanceof Error ? error.message : String(error);
}

/** The task's result. A task that takes longer goes on, but nobody waits for it. @throws StoreClosedError then */
export async function within<Result>(ms: number, task: Promise<Result>, otherwise: string): Promise<Result> {
  if (await settlesWithin(task, ms)) return task;
  throw new StoreClosedError(otherwise);
}
