import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as othersHadTheirTurn } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { type ConstructorOptions, fromPglite } from 'pg-boss';

/** What pg-boss needs to run on a database, and the way to close it. */
export type Backend = { bossOptions: ConstructorOptions; close(): Promise<void> };

/** Small buffers, for one process and a team: about 110 MB of memory instead of 270. */
const START_PARAMETERS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'];

/**
 * Opens the Postgres that runs inside this process (PGlite), with its files under a folder that this process alone uses.
 * The first start creates the files under another name, so that an interrupted start leaves nothing half made.
 * The files outlive a killed process, but not a power cut: PGlite never asks the system to write them through.
 */
export async function openEmbedded(folder: string): Promise<Backend> {
  const files = join(folder, 'postgres');
  if (!existsSync(files)) {
    const unfinished = join(folder, 'postgres.unfinished');
    rmSync(unfinished, { recursive: true, force: true });
    await (await open(unfinished)).close();
    renameSync(unfinished, files);
  }
  const database = await open(files);
  return {
    bossOptions: { db: oneByOne(fromPglite(database)), backend: 'pglite' },
    close: () => database.close(),
  };
}

function open(path: string): Promise<PGlite> {
  return PGlite.create(path, { startParams: START_PARAMETERS });
}

type Database = ReturnType<typeof fromPglite>;

/**
 * Runs statements one by one, and lets the process do its other work between them. Each statement keeps the process busy
 * for a millisecond or more, and hundreds can come at once.
 */
function oneByOne(database: Database): Database {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...database,
    executeSql(text, values) {
      const result = last.then(() => othersHadTheirTurn()).then(() => database.executeSql(text, values));
      last = result.catch(() => {}); // The caller sees the error.
      return result;
    },
  };
}
