import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFiles } from '../../src/store/embedded/new-files.ts';
import { openEmbedded } from '../../src/store/embedded.ts';
import { makeNewDatabase } from './new-database.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'new-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the files made beforehand', () => {
  it('are what the installed PGlite and the bot make (if not: npm run new-files)', {
    timeout: 180_000,
  }, async () => {
    const [ours, made] = [join(folder, 'ours'), join(folder, 'made')];
    await makeFiles(join(ours, 'postgres'));
    await makeNewDatabase(made);
    expect(await digestsOf(ours)).toEqual(await digestsOf(made));
    const catalogue = await catalogueOf(ours);
    expect(catalogue.map((rows) => rows.length)).not.toContain(0);
    expect(catalogue.flat().filter((row) => DATED.test(JSON.stringify(row)))).toEqual([]);
    expect(catalogue).toEqual(await catalogueOf(made));
  });
});

/** These hold times, and numbers that are drawn or counted. The bot's tables are in `base/5`, which is compared by catalogue. */
const DIFFER = /\/global\/|\/pg_(?:wal|xact|multixact|logical|subtrans)\/\w+$/;
const WITH_TABLES = /\/base\/5\//;

/** The digest of each file, and the names of folders and of the files that differ. */
async function digestsOf(top: string): Promise<Array<[path: string, digest: string | undefined]>> {
  const entries = await readdir(join(top, 'postgres'), { recursive: true, withFileTypes: true });
  const compared = entries.filter(({ parentPath }) => !WITH_TABLES.test(`${parentPath}/`));
  const digests = compared.map(async (entry): Promise<[string, string | undefined]> => {
    const path = join(entry.parentPath, entry.name);
    const isSame = entry.isFile() && !DIFFER.test(path);
    return [relative(top, path), isSame ? digestOf(await readFile(path)) : undefined];
  });
  return (await Promise.all(digests)).toSorted(([one], [other]) => one.localeCompare(other));
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A table for one day: the archive would be as made anew on that day alone. */
const DATED = /_20\d{6}\b/;

/** What the database says of the format of its files, and of the tables in it. */
const CATALOGUE = [
  'select pg_control_version, catalog_version_no, init.* from pg_control_system(), pg_control_init() init',
  `select table_schema, table_name, column_name, data_type, is_nullable, column_default
   from information_schema.columns where table_schema in ('bot', 'pgboss') order by 1, 2, 3`,
  "select schemaname, indexname, indexdef from pg_indexes where schemaname in ('bot', 'pgboss') order by 1, 2",
  `select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
   where connamespace in ('bot'::regnamespace, 'pgboss'::regnamespace) order by 1, 2`,
  "select proname, pg_get_functiondef(oid) from pg_proc where pronamespace = 'pgboss'::regnamespace order by 1, 2",
  'select version from pgboss.version',
  'select step from bot.migration order by 1',
  `select name, policy, dead_letter, retry_limit, retry_delay, heartbeat_seconds, expire_seconds, deletion_seconds,
   retention_seconds from pgboss.queue order by 1`,
  'select count(*) from pgboss.job',
];

async function catalogueOf(directory: string): Promise<unknown[][]> {
  const { bossOptions, close } = await openEmbedded(directory);
  const results: unknown[][] = [];
  for (const sql of CATALOGUE) results.push((await bossOptions.db?.executeSql(sql))?.rows ?? []);
  await close();
  return results;
}
