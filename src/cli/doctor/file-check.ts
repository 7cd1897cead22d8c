import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE } from '../../store/dialect.ts';
import { LastingFaultError, lastingFaultOf } from '../../store/lasting-fault.ts';
import { FolderInUseError, lockFolder } from '../../store/lock.ts';
import { isNewer } from '../../store/schema.ts';
import { fileIn, readVersion, refuseOld } from '../../store/sqlite.ts';

/** What is to be said of the embedded database in a folder. */
export type FileCheck =
  | 'opens'
  /** Another process has it open, which is usually the bot. */
  | 'held'
  /** There is no file yet, and this user may make it. */
  | 'not made'
  /** The file belongs to another user, for whom files that this user makes would be closed. Nothing was opened. */
  | "another user's";

/**
 * Reads the embedded database, unless another process has it. Meanwhile no bot can start on it.
 * @throws LastingFaultError, or an error of the file system
 */
export function checkFile(folder: string): FileCheck {
  refuseOld(folder);
  const path = fileIn(folder);
  if (!existsSync(path)) {
    accessSync(`${nearest(folder)}/.`, constants.W_OK | constants.X_OK); // The dot refuses a file.
    return 'not made';
  }
  if (statSync(path).uid !== process.geteuid?.()) return "another user's";
  try {
    const lock = lockFolder(folder);
    try {
      readOnce(path);
      return 'opens';
    } finally {
      lock.release();
    }
  } catch (error) {
    if (error instanceof FolderInUseError) return 'held';
    const lasting = lastingFaultOf(error);
    throw lasting === undefined ? error : new LastingFaultError(lasting, { cause: error });
  }
}

function readOnce(path: string): void {
  const file = new DatabaseSync(path);
  try {
    if (isNewer(readVersion(file), SQLITE)) throw new LastingFaultError('newer release');
  } finally {
    file.close();
  }
}

/** Returns the folder itself, or the nearest above that exists. */
function nearest(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) || path === dirname(path) ? path : nearest(dirname(path));
}
