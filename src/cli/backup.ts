import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { backup as copy, DatabaseSync } from 'node:sqlite';
import { fileIn, isWhole } from '../store/sqlite.ts';
import { databaseCommand, UsageError } from './command.ts';

/** `backup FILE`: copies the embedded database into a new file, also while a bot uses it. */
export const backup = databaseCommand('backup', async (to, database) => {
  const path = resolve(to);
  if ('url' in database) throw new UsageError('DATABASE_URL is set: copy that database with pg_dump');
  const source = fileIn(database.directory);
  if (!existsSync(source))
    throw new UsageError(`there is no database in ${resolve(database.directory)} (DATA_DIR)`);
  if (existsSync(path)) throw new UsageError(`${path} is there already`);
  const unfinished = `${path}.${randomUUID()}`;
  using file = new DatabaseSync(source, { timeout: 5000 });
  try {
    closeSync(openSync(unfinished, 'wx', 0o600)); // SQLite itself would make a file that everyone can read.
    await copy(file, unfinished, { rate: ALL_AT_ONCE });
    if (!isSound(unfinished))
      throw new UsageError(
        'the database is damaged, so a copy of it would be, too: put back an earlier copy',
      );
    linkSync(unfinished, path); // Refuses a file that came meanwhile.
  } finally {
    for (const part of ['', '-wal', '-shm']) rmSync(unfinished + part, { force: true });
  }
  return `The database was copied to ${path}.`;
});

function isSound(path: string): boolean {
  using copy = new DatabaseSync(path);
  copy.exec('pragma journal_mode = delete'); // In the bot's own mode, SQLite expects a second file next to it.
  return isWhole(copy);
}

/** Pages in one step: a write of the bot would start every other step again. */
const ALL_AT_ONCE = 2 ** 30;
