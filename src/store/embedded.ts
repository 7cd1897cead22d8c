import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConstructorOptions } from 'pg-boss';
import { LastingDatabase } from './embedded/lasting.ts';
import { makeFiles } from './embedded/new-files.ts';

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
  const files = join(folder, 'postgres');
  const make = async () => {
    if (!existsSync(files)) await makeFiles(files, signal);
  };
  const database = await LastingDatabase.open(files, make, signal);
  return { bossOptions: { db: forBoss(database), backend: 'pglite' }, close: () => database.close() };
}

/** pg-boss sends each transaction as one string, so that turns of statements are turns of transactions too. */
function forBoss(database: LastingDatabase): NonNullable<ConstructorOptions['db']> {
  return {
    async executeSql(sql, values) {
      return { rows: await database.run(sql, values) };
    },
  };
}
