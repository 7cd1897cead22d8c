import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';

/**
 * The files of a new database: as the installed PGlite makes them, with the tables of pg-boss and of the bot. Making them takes
 * 700 MB and many seconds; a test compares both. `npm run new-files` makes the archive anew.
 */
export const NEW_FILES = new URL('new-files.tar.br', import.meta.url);

/**
 * A segment of Postgres's write-ahead log. The archive holds its first page alone, for nothing but zeros follows: a hole in
 * the file, which takes no time to write.
 */
export const WAL_SEGMENT = { path: /^pg_wal\/[0-9A-F]{24}$/, bytes: 16 * 1024 * 1024, pageBytes: 8192 };

/**
 * Makes a folder with the files of a new database. They are written under another name first, so that an interrupted
 * start leaves nothing half made. Blocks its thread: 450 small files take half as long as in the background.
 * @throws what the system throws
 */
export async function makeFiles(folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  for (const { header, data } of await unpackTar(brotliDecompressSync(readFileSync(NEW_FILES)))) {
    const path = join(unfinished, header.name);
    if (header.type === 'directory') mkdirSync(path, { recursive: true, mode: 0o700 });
    else writeFileSync(path, data ?? '', { mode: 0o600 });
    if (WAL_SEGMENT.path.test(header.name)) truncateSync(path, WAL_SEGMENT.bytes);
  }
  renameSync(unfinished, folder);
}
