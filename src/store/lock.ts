import { join } from 'node:path';

/** The folder belongs to another running process. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/** SQLITE_BUSY, of https://sqlite.org/rescode.html. */
const BUSY = 5;

/**
 * Claims a folder for this process with the lock of an empty SQLite file in it, which is Node's one way to a lock of the
 * kernel. The kernel lets go of it when the process ends, however it ends, so there is nothing stale to take over, and it
 * works across containers that share the folder, where process ids would not. Keep what is returned: as garbage, the file
 * would be closed, and let go of the lock.
 * @throws FolderInUseError, or what SQLite says of a folder that cannot be written to (`ERR_SQLITE_ERROR`)
 */
export async function lockFolder(folder: string): Promise<{ release(): void }> {
  // Loaded when it is needed: Node 22 prints that it is experimental.
  const { DatabaseSync } = await import('node:sqlite');
  const file = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    // Never ended: the lock is that of a write under way. (With `exclusive`, or with a journal that a killed owner leaves to
    // be rolled back, all of those that try at once may fail.)
    file.exec('pragma journal_mode = memory; begin immediate');
  } catch (error) {
    file.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY)
      throw new FolderInUseError('another process uses this folder');
    throw error;
  }
  return {
    release() {
      file.close();
    },
  };
}
