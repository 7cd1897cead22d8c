import { sqliteCodeOf } from './away.ts';

/** What keeps a database closed until somebody changes something. */
export type LastingFault =
  | 'password refused'
  | 'user refused'
  | 'no such database'
  | 'right missing'
  | 'no TLS'
  | 'address unreadable'
  | 'no SQLite'
  | 'files not writable'
  /** A newer release made the file. */
  | 'newer release'
  /** Data of release 0.1.0 is there. */
  | 'folder of 0.1.0'
  | 'server of 0.1.0';

/** The database will not open, however long the bot waits. */
export class LastingFaultError extends Error {
  override readonly name = 'LastingFaultError';
  readonly fault: LastingFault;

  constructor(fault: LastingFault, options?: ErrorOptions) {
    super(`the database will not open: ${fault}`, options);
    this.fault = fault;
  }
}

/** By SQLSTATE (Appendix A of Postgres' manual). */
const BY_STATE: Readonly<Record<string, LastingFault>> = {
  '28P01': 'password refused',
  '28000': 'user refused',
  '3D000': 'no such database',
  '42501': 'right missing',
  ERR_INVALID_URL: 'address unreadable',
};

/** SQLITE_PERM, READONLY, CORRUPT, CANTOPEN, NOTADB (https://sqlite.org/rescode.html). */
const BY_SQLITE: Readonly<Record<number, LastingFault>> = {
  3: 'files not writable',
  8: 'files not writable',
  11: 'no SQLite',
  14: 'files not writable',
  26: 'no SQLite',
};

/** Why a database will not open; undefined for what can pass. @param error from opening it */
export function lastingFaultOf(error: unknown): LastingFault | undefined {
  if (error instanceof LastingFaultError) return error.fault;
  const sqlite = sqliteCodeOf(error);
  if (sqlite !== undefined) return BY_SQLITE[sqlite];
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return NO_TLS.test(String(message)) ? 'no TLS' : undefined;
  if (/CERT|^UNABLE_TO_|^ERR_(?:SSL|TLS)_/.test(code)) return 'no TLS';
  if (syscall === 'open') return 'address unreadable'; // A file that the address names, such as `sslrootcert`.
  return Object.hasOwn(BY_STATE, code) ? BY_STATE[code] : undefined;
}

const NO_TLS = /^(?:The server does not support SSL|There was an error establishing an SSL)/;
