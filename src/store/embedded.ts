import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConstructorOptions } from 'pg-boss';
import { LastingDatabase } from './embedded/lasting.ts';

/** What pg-boss needs to run on a database, and the way to close it. */
export type Backend = { bossOptions: ConstructorOptions; close(): Promise<void> };

/**
 * Opens the Postgres that runs inside this process (PGlite), with its files under a folder that this process alone uses.
 * The first start makes the files, all or none.
 * The files outlive a killed process, but not a power cut: PGlite never asks the system to write them through.
 *
 * It runs in a thread of its own, because a full disk makes it spin for ever. The thread is then ended and started again.
 * @param signal ends it, open or not
 * @throws StoreClosedError if the files can neither be opened nor made
 */
export async function openEmbedded(
  folder: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<Backend> {
  const database = await LastingDatabase.open(filesIn(folder), signal);
  return { bossOptions: { db: forBoss(database), backend: 'pglite' }, close: () => database.close() };
}

/** Where the files of the database in a folder are. */
export function filesIn(folder: string): string {
  return join(folder, 'postgres');
}

/** Whether a folder has no database yet. */
export function isNew(folder: string): boolean {
  return !existsSync(filesIn(folder));
}

/** pg-boss sends each transaction as one string, so that turns of statements are turns of transactions too. */
function forBoss(database: LastingDatabase): NonNullable<ConstructorOptions['db']> {
  return {
    async executeSql(sql, values) {
      return { rows: await database.run(sql, values) };
    },
  };
}
