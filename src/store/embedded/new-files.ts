import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { unpackTar } from 'modern-tar/fs';

/**
 * The files of a new database: as the installed PGlite makes them, with the tables of pg-boss and of the bot. Making them takes
 * 700 MB and many seconds; a test compares both. `npm run new-files` makes the archive anew.
 */
export const NEW_FILES = new URL('new-files.tar.br', import.meta.url);

/**
 * Makes a folder with the files of a new database. They are written under another name first, so that an interrupted
 * start leaves nothing half made.
 * @throws what the system or the signal throws
 */
export async function makeFiles(folder: string, signal: AbortSignal): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const files = unpackTar(unfinished, { dmode: 0o700, fmode: 0o600 });
  await pipeline(createReadStream(NEW_FILES), createBrotliDecompress(), files, { signal });
  await rename(unfinished, folder);
}
