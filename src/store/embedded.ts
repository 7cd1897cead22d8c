import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ConstructorOptions } from 'pg-boss';
import { withSpace } from './closed.ts';
import { LastingDatabase } from './embedded/lasting.ts';
import { EmbeddedThread } from './embedded/thread.ts';

/** What pg-boss needs to run on a database, and the way to close it. */
export type Backend = { bossOptions: ConstructorOptions; close(): Promise<void> };

/**
 * Opens the Postgres that runs inside this process (PGlite), with its files under a folder that this process alone uses.
 * The first time it makes them, beside the place where they will be, so that an interrupted start leaves nothing half made.
 * Its files outlive a killed process, but not a power cut: it never asks the system to write them through.
 *
 * It runs in a thread of its own, since a full disk makes it spin for ever. The thread is then ended and started again.
 * @throws StoreClosedError if the files can neither be opened nor made
 */
export async function openEmbedded(folder: string): Promise<Backend> {
  const files = join(folder, 'postgres');
  if (!existsSync(files)) {
    const unfinished = join(folder, 'postgres.unfinished');
    rmSync(unfinished, { recursive: true, force: true });
    await makeFiles(unfinished).catch(async (error) => {
      throw await withSpace(error, folder);
    });
    renameSync(unfinished, files);
  }
  const database = await LastingDatabase.open(files);
  return { bossOptions: { db: forBoss(database), backend: 'pglite' }, close: () => database.close() };
}

async function makeFiles(folder: string): Promise<void> {
  const thread = new EmbeddedThread(folder);
  try {
    await thread.opened();
    await thread.close();
  } finally {
    await thread.end();
  }
}

/** pg-boss sends each transaction as one string, so turns of statements are turns of transactions too. */
function forBoss(database: LastingDatabase): NonNullable<ConstructorOptions['db']> {
  return {
    async executeSql(sql, values) {
      return { rows: await database.run(sql, values) };
    },
  };
}
