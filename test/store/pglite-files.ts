import { mkdir } from 'node:fs/promises';
import { EmbeddedThread } from '../../src/store/embedded/thread.ts';

/** Makes the files of an empty database with the installed PGlite, as the bot sets it up. Takes 700 MB and some seconds. */
export async function makeWithPglite(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const thread = new EmbeddedThread();
  await thread.open(folder);
  await thread.close();
  await thread.end();
}
