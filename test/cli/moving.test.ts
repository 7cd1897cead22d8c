import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { backup } from '../../src/cli/backup.ts';
import { importFile } from '../../src/cli/import.ts';
import type { JobOutcome } from '../../src/domain/jobs.ts';
import { Secret } from '../../src/domain/secret.ts';
import type { DatabaseSettings } from '../../src/store/dialect.ts';
import { createRows, createThreads } from '../../src/store/tables.ts';
import { damage, newFolder, openQueue } from '../store/engines.ts';
import { newDatabase, runIn } from '../store/postgres.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await newFolder();
  file = join(folder, 'copy.db');
});

const backUp = (args: string[], environment: Record<string, string> = {}) =>
  backup(args, { DATA_DIR: folder, ...environment });
const takeIn = (args: string[], environment: Record<string, string> = {}) =>
  importFile(args, { DATA_DIR: folder, ...environment });

async function open(database: DatabaseSettings) {
  const done: string[] = [];
  const work = async ({ key }: { key: string }): Promise<JobOutcome<Record<string, never>>> => {
    done.push(key);
    return key === 'given up' ? { kind: 'dead', reason: 'not found' } : { kind: 'done' };
  };
  const { store, queue } = await openQueue(database, { schema: z.object({}), work });
  const threads = createThreads(store, z.object({ room: z.string() }));
  return { store, queue, done, threads, autoreplies: createRows(store, 'autoreply') };
}

/** A database with a job of each kind, and other rows. */
async function fill() {
  const bot = await open({ directory: folder });
  for (const key of ['done', 'given up']) {
    await bot.queue.put(key, {});
    await vi.waitFor(async () => expect(await bot.queue.find(key)).toMatch(/^d/));
  }
  for (const key of ['first', 'second']) await bot.queue.put(key, {}, 1500);
  await bot.threads.save('night', { room: 'ü \0 \ud800' });
  await bot.autoreplies.add('19:a');
  return bot;
}

it('a backup copies the database in use, for its owner, to a new file', async () => {
  const bot = await fill();
  const writing = Promise.all(Array.from({ length: 200 }, (_, n) => bot.queue.put(`${n}`, {}, 9e6)));
  expect(await backUp([file])).toEqual({ code: 0, text: `The database was copied to ${file}.\n` });
  await writing;
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
  const copied = new DatabaseSync(file, { readOnly: true });
  expect(copied.prepare("select data from kept where kind = 'thread'").all()).toHaveLength(1);
  copied.close();
  const text = `The backup failed: ${file} is there already.\n`;
  expect(await backUp([file])).toEqual({ code: 2, text });
  const missing = join(folder, 'none');
  const cause = expect.stringMatching(`^The backup failed: ENOENT: .* '${missing}/copy\\.db`);
  expect(await backUp([join(missing, 'copy.db')])).toEqual({ code: 1, text: cause });
});

it('a backup of a damaged database is none', async () => {
  const { store } = await fill();
  await store.close(0);
  await damage(folder);
  const text =
    'The backup failed: the database is damaged, so a copy of it would be, too: put back an earlier copy.\n';
  expect(await backUp([file])).toEqual({ code: 2, text });
  expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual([]);
});

it.each([[], [''], ['a', 'b'], ['--x']])('a backup to %j has wrong arguments', async (...args) =>
  expect(await backUp(args)).toBeUndefined(),
);

it.each<[args: string[], DATABASE_URL: string, code: number, said: RegExp]>([
  [['copy.db'], '', 2, /there is no database in .* \(DATA_DIR\)/],
  [['copy.db'], 'postgres://127.0.0.1/x', 2, /pg_dump/],
  [['copy.db'], 'canary', 2, /^ {2}DATABASE_URL must be(?!.*canary)/],
])(
  'a backup of %j from the database %j is none: ends with %i and %s',
  async (args, DATABASE_URL, code, said) =>
    expect(await backUp(args, { DATABASE_URL })).toEqual({ code, text: expect.stringMatching(said) }),
);

it('an import takes a file into an empty database, for a bot to go on with', async () => {
  const { autoreplies } = await fill();
  await Promise.all(Array.from({ length: 600 }, (_, n) => autoreplies.add(`19:${n}`)));
  await backUp([file]);
  const url = await newDatabase();
  const imported = `Imported from ${file}: 4 jobs, done and dead ones too, and 602 other rows.\n`;
  expect(await takeIn([file], { DATABASE_URL: url })).toEqual({ code: 0, text: imported });
  const bot = await open({ url: new Secret(url) });
  expect(await bot.queue.find('done')).toBe('done');
  expect(await bot.threads.find('night')).toMatchObject({ place: { room: 'ü \0 \ud800' } });
  expect(await bot.autoreplies.find('19:a')).toBeNull();
  expect(await bot.queue.revive('given up')).toBe(true);
  expect(await bot.queue.put('after', {}, 2000)).toBe('put');
  const others = () => bot.done.filter((key) => key !== 'given up');
  await vi.waitFor(() => expect(others()).toEqual(['first', 'second', 'after']), 10_000);
  expect(await takeIn([file], { DATABASE_URL: url })).toEqual({
    code: 2,
    text: 'The import failed: the database in DATABASE_URL is not empty: its schema nac_lookup_bot has rows.\n',
  });
});

it.each<[string, (file: DatabaseSync) => unknown, number, RegExp]>([
  ['a damaged page', () => damage(folder), 2, /nac-lookup-bot\.db is damaged: take an earlier copy/],
  ['wrong types', (made) => made.exec("update job set due = 'soon'"), 1, /refused it \(invalid input syntax/],
])('an import takes nothing from a file with %s', async (_, harm, code, said) => {
  const { store } = await fill();
  await store.close(0);
  using made = new DatabaseSync(join(folder, 'nac-lookup-bot.db'));
  await harm(made);
  const url = await newDatabase();
  const ended = await takeIn([join(folder, 'nac-lookup-bot.db')], { DATABASE_URL: url });
  expect(ended).toEqual({ code, text: expect.stringMatching(said) });
  await runIn(url, 'create schema nac_lookup_bot'); // There is none.
});

it.each<[what: string, code: number, said: RegExp, name: string, changes: Partial<URL> | undefined]>([
  ['a file that is no database', 1, /^The import failed: file is not a database\.\n$/, 'text', {}],
  ['an empty file', 2, /empty is no database of this bot/, 'empty', {}],
  ['a file of a newer release', 2, /a newer release of the bot made .*newer/, 'newer', {}],
  ['no file', 2, /there is no file/, 'none', {}],
  ['no database', 2, /set DATABASE_URL/, 'text', undefined],
  ['a wrong password', 2, /refuses the user name or password(?!.*canary)/, 'good', { password: 'canary' }],
  ['a server that is away', 1, /ECONNREFUSED/, 'good', { port: '1' }],
])('an import says why it takes nothing: %s', async (_, code, said, name, changes) => {
  await writeFile(join(folder, 'text'), 'no database'.repeat(200));
  await writeFile(join(folder, 'empty'), '');
  for (const [each, version] of Object.entries({ good: 1, newer: 9 })) {
    const made = new DatabaseSync(join(folder, each));
    made.exec(`create table meta (version); insert into meta values (${version})`);
    made.close();
  }
  const url = await newDatabase();
  const DATABASE_URL = changes ? Object.assign(new URL(url), changes).href : '';
  const ended = await takeIn([join(folder, name)], { DATABASE_URL });
  expect(ended).toEqual({ code, text: expect.stringMatching(said) });
});
