import { FolderInUseError } from '../store/lock.ts';

/** Returns why a correctly configured bot cannot start, in words; undefined for a bug. */
export function startFault(error: unknown): string | undefined {
  if (error instanceof FolderInUseError)
    return 'another bot uses the folder in DATA_DIR: stop that bot, or set another folder';
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return 'PORT is in use by another program, or equals OPS_PORT: set another port';
    case 'EACCES':
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
