import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteCodeOf } from './away.ts';

/** The folder belongs to another running process. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/** SQLITE_BUSY (https://sqlite.org/rescode.html). */
const BUSY = 5;

/**
 * Claims a folder for this process by locking an empty SQLite file in it, Node's only way to a kernel lock. The kernel
 * releases the lock when the process ends, however it ends, so no stale lock remains. The lock works across containers
 * that share the folder; process ids would not. Keep the returned object: collected as garbage, it releases the lock.
 * @throws FolderInUseError, an error of the file system, or SQLite's for a folder that cannot be written to (`ERR_SQLITE_ERROR`)
 */
export function lockFolder(folder: string): { release(): void } {
  const path = join(folder, 'lock');
  closeSync(openSync(path, 'a', 0o600)); // SQLite would make a file that everyone can read.
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    // The transaction never ends: an open write is the lock. (With `exclusive`, or with a journal that a killed owner left
    // to roll back, all processes that try at once may fail.)
    file.exec('pragma journal_mode = memory; begin immediate');
  } catch (error) {
    file.close();
    if (sqliteCodeOf(error) === BUSY) throw new FolderInUseError('another process uses this folder');
    throw error;
  }
  return {
    release() {
      if (file.isOpen) file.close();
    },
  };
}
