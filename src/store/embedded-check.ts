import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { filesIn, isNew, openEmbedded } from './embedded.ts';
import { checkFiles } from './lasting-fault.ts';
import { FolderInUseError, lockFolder } from './lock.ts';

/** What is to be said of the embedded database in a folder. */
export type EmbeddedCheck =
  | 'opens'
  /** Another process has it open, which is usually the bot. */
  | 'held'
  /** There are no files yet, and this user may make them. */
  | 'not made'
  /** The files belong to another user, for whom files that this user makes would be closed. Nothing was opened. */
  | "another user's";

/**
 * Opens the embedded database and closes it again, unless another process has it. Meanwhile no bot can start on it.
 * @throws LastingFaultError, StoreClosedError, or an error of the file system
 */
export async function checkEmbedded(folder: string): Promise<EmbeddedCheck> {
  const files = filesIn(folder);
  if (isNew(folder)) {
    accessSync(`${nearest(folder)}/.`, constants.W_OK | constants.X_OK); // The dot refuses a file.
    return 'not made';
  }
  const isOwn = statSync(files).uid === (process.geteuid?.() ?? 0);
  if (!isOwn && !existsSync(join(folder, 'lock'))) return "another user's";
  checkFiles(files);
  process.umask(0o077); // PGlite creates files that everyone can read.
  try {
    const lock = await lockFolder(folder);
    try {
      if (!isOwn) return "another user's";
      const { close } = await openEmbedded(folder);
      await close();
      return 'opens';
    } finally {
      lock.release();
    }
  } catch (error) {
    if (error instanceof FolderInUseError) return 'held';
    throw error;
  }
}

/** Returns the folder itself, or the nearest above that exists. */
function nearest(folder: string): string {
  const path = resolve(folder);
  return existsSync(path) || path === dirname(path) ? path : nearest(dirname(path));
}
