import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { JobOutcome } from '../../src/domain/jobs.ts';
import { Secret } from '../../src/domain/secret.ts';
import { createQueue } from '../../src/store/queues.ts';
import { createAutoreplies, createThreads } from '../../src/store/tables.ts';
import { opened, openStore, type TestStore } from '../store/engines.ts';
import { type PostgresServer, runIn, startPostgres } from '../store/postgres.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

let folder: string;
let stores: TestStore[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moving-'));
  stores = [];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close(1000)));
  await rm(folder, { recursive: true });
});

/** Runs a command of the bot. @returns its exit code and all that it says */
function run(name: 'backup' | 'import', args: string[], environment: Record<string, string> = {}) {
  const program = fileURLToPath(new URL(`../../src/cli/${name}.ts`, import.meta.url));
  const env = { PATH: process.env.PATH, DATA_DIR: folder, ...environment };
  return new Promise<{ code: number | undefined; said: string }>((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? undefined, said: stdout + stderr }),
    );
  });
}

const place = z.object({ room: z.string() });

/** What a bot has in its database, and its worker. */
async function open(database: { directory: string } | { url: Secret }) {
  const done: string[] = [];
  const work = async (_: unknown, key: string): Promise<JobOutcome<Record<string, never>>> => {
    done.push(key);
    return key === 'given up' ? { kind: 'dead', reason: 'not found' } : { kind: 'done' };
  };
  const store = await openStore(database, {
    onOpen: async () => [queue.start({ work, onDead: async () => {} })],
  });
  stores.push(store);
  const queue = createQueue(store, { name: 'post', schema: z.object({}), onError: () => {} });
  await opened(store);
  return { store, queue, done, threads: createThreads(store, place), autoreplies: createAutoreplies(store) };
}

/** A database with a job of each kind, and other rows. */
async function fill() {
  const bot = await open({ directory: folder });
  for (const key of ['done', 'given up']) await bot.queue.put(key, {});
  await vi.waitFor(async () => expect(await bot.queue.progress('given up')).toBe('done'));
  await vi.waitFor(async () => expect(await bot.queue.progress('done')).toBe('done'));
  await bot.queue.put('first', {}, 1500);
  await bot.queue.put('second', {}, 1500);
  await bot.threads.save('night', { room: 'ü \0 \ud800' });
  await bot.autoreplies.turnOn('19:a');
  return bot;
}

const file = () => join(folder, 'copy.db');

describe('npm run backup', () => {
  it('copies the database while a bot uses it, for its owner alone, and never overwrites', async () => {
    const bot = await fill();
    const writing = Promise.all(Array.from({ length: 200 }, (_, n) => bot.queue.put(`${n}`, {}, 9e6)));
    expect(await run('backup', [file()])).toEqual({
      code: 0,
      said: `The database was copied to ${file()}.\n`,
    });
    await writing;
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
    const copied = new DatabaseSync(file(), { readOnly: true });
    expect(copied.prepare("select data from kept where kind = 'thread'").all()).toHaveLength(1);
    copied.close();
    expect(await run('backup', [file()])).toEqual({
      code: 1,
      said: `The backup failed: ${file()} is there already.\n`,
    });
  });

  it.each<[what: string, args: string[], environment: Record<string, string>, said: RegExp]>([
    ['no file is named', [], {}, /Name one file: npm run backup -- FILE/],
    ['there is no database', ['copy.db'], {}, /there is no database in .* \(DATA_DIR\)/],
    ['the database is on a server', ['copy.db'], { DATABASE_URL: 'postgres://127.0.0.1/x' }, /pg_dump/],
  ])('says why it copies nothing: %s', async (_, args, environment, said) => {
    const ended = await run('backup', args, environment);
    expect(ended).toMatchObject({ code: 1, said: expect.stringMatching(said) });
  });
});

describe('npm run import', () => {
  let databases = 0;
  const newDatabase = () => server.createDatabase(`import_${++databases}`);

  it('takes a file into an empty database, where a bot goes on with all of it', async () => {
    await fill();
    await run('backup', [file()]);
    const url = await newDatabase();
    expect(await run('import', [file()], { DATABASE_URL: url })).toEqual({
      code: 0,
      said: `Imported from ${file()}: 4 jobs, done and dead ones too, and 2 other rows.\n`,
    });
    const bot = await open({ url: new Secret(url) });
    expect(await bot.queue.has('done')).toBe(true);
    expect(await bot.threads.find('night')).toEqual({ room: 'ü \0 \ud800' });
    expect(await bot.autoreplies.isOn('19:a')).toBe(true);
    expect(await bot.queue.retryDead((data) => data)).toBe(1);
    expect(await bot.queue.put('after', {}, 2000)).toBe('put');
    await vi.waitFor(
      () => expect(bot.done.filter((key) => key !== 'given up')).toEqual(['first', 'second', 'after']),
      {
        timeout: 10_000,
      },
    );
    expect(await run('import', [file()], { DATABASE_URL: url })).toEqual({
      code: 1,
      said: 'The import failed: the database in DATABASE_URL is not empty: its schema nac_lookup_bot has rows.\n',
    });
  });

  it.each<[what: string, damage: string, said: string]>([
    [
      'a cut text',
      `update job set data = '{"version":1,"key' where seq = 3`,
      'row 3 of table job in the file is damaged',
    ],
    [
      'a number that is none',
      "update job set due = 'soon' where seq = 2",
      'row 2 of table job in the file is damaged',
    ],
    [
      'a text that is none',
      "update kept set data = x'00' where kind = 'thread'",
      'row 2 of table kept in the file is damaged',
    ],
  ])('refuses a damaged row, and leaves the database empty: %s', async (_, damage, said) => {
    await fill();
    await run('backup', [file()]);
    const copied = new DatabaseSync(file());
    copied.exec(damage);
    copied.close();
    const url = await newDatabase();
    expect(await run('import', [file()], { DATABASE_URL: url })).toEqual({
      code: 1,
      said: `The import failed: ${said}.\n`,
    });
    await runIn(url, 'create schema nac_lookup_bot'); // There is none.
  });

  it('says why it takes nothing: the file, or the database', async () => {
    await writeFile(file(), 'no database'.repeat(200));
    const url = await newDatabase();
    const said = async (args: string[], environment: Record<string, string>) =>
      (await run('import', args, environment)).said;
    expect(await said([file()], { DATABASE_URL: url })).toBe('The import failed: file is not a database.\n');
    expect(await said([`${file()}x`], { DATABASE_URL: url })).toContain('there is no file');
    expect(await said([file()], {})).toContain('set DATABASE_URL');
    expect(await said([file()], { DATABASE_URL: url.replace(/bot:bot/, 'bot:canary') })).not.toContain(
      'canary',
    );
  });
});
