import { FolderInUseError } from '../store/lock.ts';

/** What keeps a well-set bot from starting, in words; undefined for a bug. */
export function startFault(error: unknown): string | undefined {
  if (error instanceof FolderInUseError) return 'another one uses the folder that DATA_DIR names';
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return 'another program listens on PORT already, or OPS_PORT is the same';
    case 'EACCES':
      return 'this user may not listen on PORT, or not write into DATA_DIR';
    case 'EEXIST':
    case 'ENOTDIR':
      return 'DATA_DIR names a file, or something below a file, and not a folder';
    case 'ENAMETOOLONG':
      return 'the path in DATA_DIR is too long';
    case 'ERR_SQLITE_ERROR': // Of the lock in DATA_DIR; SQLite takes paths of up to 512 bytes.
      return 'the path in DATA_DIR is too long, or this user may not write there';
    default:
      return undefined;
  }
}
