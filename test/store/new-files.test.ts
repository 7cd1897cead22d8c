import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFiles } from '../../src/store/embedded/new-files.ts';
import { openEmbedded } from '../../src/store/embedded.ts';
import { makeWithPglite } from './pglite-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'new-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the files made beforehand', () => {
  it('are what the installed PGlite makes (if not: npm run new-files)', { timeout: 180_000 }, async () => {
    const [ours, made] = [join(folder, 'ours'), join(folder, 'made')];
    await makeFiles(join(ours, 'postgres'), new AbortController().signal);
    await makeWithPglite(join(made, 'postgres'));
    expect(await digestsOf(ours)).toEqual(await digestsOf(made));
    expect(await controlOf(ours)).toEqual(await controlOf(made));
  });
});

/** They hold times, and a number drawn for each database. */
const DIFFER = /global\/pg_control$|pg_wal\/\w{24}$/;

/** The digest of each file, and the names of folders and of the files that differ. */
async function digestsOf(top: string): Promise<Array<[path: string, digest: string | undefined]>> {
  const entries = await readdir(top, { recursive: true, withFileTypes: true });
  const digests = entries.map(async (entry): Promise<[string, string | undefined]> => {
    const path = join(entry.parentPath, entry.name);
    const isSame = entry.isFile() && !DIFFER.test(path);
    return [relative(top, path), isSame ? digestOf(await readFile(path)) : undefined];
  });
  return (await Promise.all(digests)).toSorted(([one], [other]) => one.localeCompare(other));
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What `global/pg_control` says of the format of the files. */
async function controlOf(directory: string): Promise<unknown[] | undefined> {
  const { bossOptions, close } = await openEmbedded(directory);
  const control = await bossOptions.db?.executeSql(
    'select pg_control_version, catalog_version_no, init.* from pg_control_system(), pg_control_init() init',
  );
  await close();
  return control?.rows;
}
