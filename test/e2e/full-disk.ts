import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Lets no file of a process grow beyond so many bytes (`unlimited`: any number), which is a full disk to it and needs no root.
 * Fails where the system cannot do that.
 */
export async function limitFiles(pid: number | undefined, bytes: number | 'unlimited'): Promise<void> {
  await run('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`]);
}

/** How large the files of a database in a folder may become so that little more goes into them. */
export function littleMoreIn(folder: string): number {
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return Math.max(sizeOf('nac-lookup-bot.db'), sizeOf('nac-lookup-bot.db-wal')) + 200_000;
}
