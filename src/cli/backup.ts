import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
  if (!isWhole(file))
    throw new UsageError('the database is damaged, so a copy of it would be, too: put back an earlier copy');
  try {
    closeSync(openSync(unfinished, 'wx', 0o600)); // SQLite itself would make a file that everyone can read.
    file.prepare('vacuum into ?').run(unfinished);
    linkSync(unfinished, path); // Refuses a file that came meanwhile.
  } finally {
    rmSync(unfinished, { force: true });
  }
  return `The database was copied to ${path}.`;
});
