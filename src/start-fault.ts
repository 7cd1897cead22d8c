import { type LastingFault, LastingFaultError } from './store/lasting-fault.ts';
import { FolderInUseError } from './store/lock.ts';

/** Returns why a correctly configured bot cannot start, in words; undefined for a bug. */
export function startFault(error: unknown): string | undefined {
  if (error instanceof FolderInUseError)
    return 'another bot uses the folder in DATA_DIR: stop that bot, or set another folder';
  if (error instanceof LastingFaultError) return DATABASE_WORDS[error.fault];
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return 'PORT is in use by another program, or equals OPS_PORT: set another port';
    case 'EACCES':
    case 'EROFS':
      return 'this user may not listen on PORT or may not write to DATA_DIR: change the setting or the rights';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'DATA_DIR names a file, or a path below a file: set a folder';
    case 'ENAMETOOLONG':
      return 'the path in DATA_DIR is too long: set a shorter path';
    case 'ERR_SQLITE_ERROR': // From the lock in DATA_DIR; SQLite accepts paths up to 512 bytes.
      return 'the path in DATA_DIR is too long, or this user may not write there: set another folder';
    default:
      return undefined;
  }
}

const DATABASE_WORDS: Readonly<Record<LastingFault, string>> = {
  'password refused':
    'the database server refuses the user name or password in DATABASE_URL: correct them there, or set the password anew',
  'user refused':
    'the database server does not let the user in DATABASE_URL in from here: check the user, sslmode, and pg_hba.conf on the server',
  'no such database':
    'the database that DATABASE_URL names does not exist on the server: create it, or name another',
  'right missing':
    'the user in DATABASE_URL lacks a right in the database: grant CONNECT and CREATE on it, and make this user the owner of the schemas bot and pgboss',
  'no TLS':
    'the connection to the database server cannot be secured: check sslmode and sslrootcert in DATABASE_URL, and the certificate of the server',
  'address unreadable':
    'DATABASE_URL cannot be used: write special characters as %XX, and name only files that this user can read',
  'other version':
    'another version of Postgres made the files in DATA_DIR: export them with the release of the bot that made them, and import that into another folder (docs/operations.md)',
  'files not writable':
    'this user may not write to the files in DATA_DIR: change the rights, or set another folder',
};
