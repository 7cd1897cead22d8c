import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What keeps a database closed until somebody changes something. */
export type LastingFault =
  | 'password refused'
  | 'user refused'
  | 'no such database'
  | 'right missing'
  | 'no TLS'
  | 'address unreadable'
  | 'other version'
  | 'files not writable';

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

/** Why a server's database will not open; undefined for what can pass. @param error from opening it */
export function lastingFaultOf(error: unknown): LastingFault | undefined {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return NO_TLS.test(String(message)) ? 'no TLS' : undefined;
  if (/CERT|^UNABLE_TO_|^ERR_(?:SSL|TLS)_/.test(code)) return 'no TLS';
  if (syscall === 'open') return 'address unreadable'; // A file that the address names, such as `sslrootcert`.
  return Object.hasOwn(BY_STATE, code) ? BY_STATE[code] : undefined;
}

const NO_TLS = /^(?:The server does not support SSL|There was an error establishing an SSL)/;

/** The major version of Postgres in PGlite 0.5. */
const VERSION = '18';

/**
 * Checks the files of an embedded database, if there are any: PGlite fails without a reason.
 * @throws LastingFaultError if another version made them, or this user may not write there
 */
export function checkFiles(files: string): void {
  if (!existsSync(files)) return;
  try {
    for (const path of ['.', 'global/pg_control']) accessSync(join(files, path), constants.W_OK);
    if (readFileSync(join(files, 'PG_VERSION'), 'utf8').trim() === VERSION) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return; // Half of a database: the opening says more.
    throw new LastingFaultError('files not writable', { cause: error });
  }
  throw new LastingFaultError('other version');
}
