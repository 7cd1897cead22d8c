import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseSettings } from '../../../src/store/connection.ts';
import { exportTo } from '../../../src/store/moving/export.ts';
import { type ExportedRow, noRows, writeExport } from '../../../src/store/moving/file.ts';
import { importFrom } from '../../../src/store/moving/import.ts';
import { ENGINES, type Engine, opened, openStore } from '../engines.ts';
import { contentOf, fill, openQueue, SEALED } from './filled.ts';

const COUNTS = {
  thread: 2,
  autoreply: 1,
  welcome: 1,
  personal_chat: 1,
  incident: 1,
  sealed_credential: 1,
  job: 3,
  job_key: 3,
};

let folder: string;
let engines: readonly [Engine, Engine];
let source: DatabaseSettings;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moving-'));
  const [[, startEmbedded], [, startServer]] = ENGINES as [(typeof ENGINES)[0], (typeof ENGINES)[0]];
  engines = [await startEmbedded(), await startServer()];
  source = await engines[0].database();
  await fill(source);
  file = join(folder, 'export.jsonl');
  expect(await exportTo(file, source, '1.2.3')).toEqual(COUNTS);
});
afterAll(async () => {
  await Promise.all(engines.map((each) => each.close()));
  await rm(folder, { recursive: true });
});

/** The rows of an export, without the first and the last line. */
async function rowsOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').slice(1, -2);
}

/** A new export of these rows. */
async function fileOf(rows: readonly ExportedRow[]): Promise<string> {
  const path = join(folder, 'made.jsonl');
  const counts = noRows();
  for (const { table } of rows) counts[table] += 1;
  const all = (async function* () {
    yield* rows;
  })();
  await writeExport(path, { release: '1', at: '', rows: counts }, all);
  return path;
}

describe('an export', () => {
  it('is a file of lines that people can read, for its owner alone, and leaves nothing else', async () => {
    const [first = '{}', ...lines] = (await readFile(file, 'utf8')).split('\n');
    expect(JSON.parse(first)).toEqual({
      format: 'nac-lookup-bot export',
      version: 1,
      release: '1.2.3',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      rows: COUNTS,
    });
    expect(lines).toContain(`{"table":"autoreply","row":{"conversation":"19:auto"}}`);
    expect(lines.slice(-2)).toEqual([expect.stringMatching(/^\{"end":\{"sha256":"[0-9a-f]{64}"\}\}$/), '']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['export.jsonl']);
  });

  it('has the job of a killed process, which counts as one more death', async () => {
    const jobs = (await rowsOf(file)).map((line) => JSON.parse(line)).filter(({ table }) => table === 'job');
    expect(jobs.map(({ row }) => [row.queue, row.data.key, row.deaths]).toSorted()).toEqual([
      ['lookup', 'waits', 0],
      ['lookup', 'works', 3],
      ['lookup-dead', 'dies', 0],
    ]);
  });

  it('does not replace a file', async () => {
    const taken = join(folder, 'taken');
    await writeFile(taken, 'kept');
    await expect(exportTo(taken, source, '1.2.3')).rejects.toThrow(`${taken} is there already`);
    expect(await readFile(taken, 'utf8')).toBe('kept');
    await rm(taken);
  });

  it("is refused for a folder without a database, and for a server's database that no bot has used", async () => {
    const directory = join(folder, 'none');
    const none = join(folder, 'none.jsonl');
    await expect(exportTo(none, { directory }, '1')).rejects.toThrow(`there is no database in ${directory}`);
    await expect(exportTo(none, await engines[1].database(), '1')).rejects.toThrow('no bot has ever used');
    expect(await readdir(folder)).toEqual(['export.jsonl']);
  });

  it('is refused to a release that does not know every table and column', async () => {
    const database = await engines[1].database();
    const store = await openStore(database);
    await opened(store);
    const later = join(folder, 'later.jsonl');
    await store.query('create table bot.later (id int)');
    await expect(exportTo(later, database, '1')).rejects.toThrow('a newer release');
    await store.query('drop table bot.later; alter table bot.thread add column colour text');
    await expect(exportTo(later, database, '1')).rejects.toThrow('a newer release');
    await store.query('alter table bot.thread drop column colour; drop table bot.welcome');
    await expect(exportTo(later, database, '1')).rejects.toThrow('an older release');
    await store.close(0);
  });
});

describe('an import', () => {
  it('into the other database and back keeps every row', async () => {
    const paths = [file, join(folder, 'round-1.jsonl'), join(folder, 'round-2.jsonl')] as const;
    for (const [step, engine] of [engines[1], engines[0]].entries()) {
      const database = await engine.database();
      expect(await importFrom(paths[step] ?? '', database)).toEqual(COUNTS);
      await exportTo(paths[step + 1] ?? '', database, '1.2.3');
    }
    const rows = await rowsOf(file);
    expect(await rowsOf(paths[1])).toEqual(rows);
    expect(await rowsOf(paths[2])).toEqual(rows);
    await Promise.all(paths.slice(1).map((path) => rm(path)));
  });

  it.each([
    ['the embedded database', 0],
    ['a server', 1],
  ] as const)('into %s is what the bot then works with', async (_, index) => {
    const database = await engines[index].database();
    await importFrom(file, database);
    const { store, queue, worked } = await openQueue(database);
    const content = await contentOf(store, queue);
    expect(content).toMatchObject({
      names: ['day', 'night'],
      night: { reference: { conversation: { id: '19:ü"\\\u2028\n' } }, big: 1e21 },
      autoreply: true,
      isWelcome: false,
      personal: { big: 1e21 },
      incident: { told: { big: 1e21 } },
      sealed: SEALED,
      dead: [{ data: { n: 1 } }],
      found: [{ n: 2 }, { n: 0 }, { n: 1 }, { n: 2 }],
      progress: ['waiting', 'waiting', 'done', 'done'],
    });
    await expect.poll(() => worked).toEqual(['works']); // What was active is due at once.
    expect(await queue.put('done', { n: 9 })).toBe('known');
    expect(await queue.retryDead((data) => data)).toBe(1);
    await expect.poll(() => worked).toEqual(['works', 'dies']);
    const limits = await store.query(
      `select distinct retry_limit, heartbeat_seconds, expire_seconds, dead_letter, policy,
         keep_until > now() + interval '29 days' as is_kept
       from pgboss.job where name = 'lookup' and completed_on is null`,
    );
    expect(limits).toEqual([
      {
        retry_limit: 1_000_000,
        heartbeat_seconds: 10,
        expire_seconds: 86_400,
        dead_letter: 'lookup-dead',
        policy: 'standard',
        is_kept: true,
      },
    ]);
    expect(store.errors).toEqual([]);
    await store.close(0);
  });

  it('leaves out a sign-in whose time is over', async () => {
    const row = { owner: 'alex', sealed: '\\x00', until: '2026-01-02T03:04:05Z' };
    const path = await fileOf([{ table: 'sealed_credential', row }]);
    expect(await importFrom(path, await engines[1].database())).toMatchObject({ sealed_credential: 0 });
    await rm(path);
  });

  it('of rows that the database refuses imports none of them', async () => {
    const row = { conversation: '19:a' };
    const path = await fileOf([
      { table: 'welcome', row: { ...row, at: '2026-01-02T03:04:05Z' } },
      { table: 'autoreply', row },
      { table: 'autoreply', row },
    ]);
    const database = await engines[1].database();
    await expect(importFrom(path, database)).rejects.toThrow('duplicate key');
    const after = join(folder, 'after.jsonl');
    expect(await exportTo(after, database, '1')).toEqual(noRows());
    await Promise.all([rm(path), rm(after)]);
  });

  it('makes the files in an empty DATA_DIR', async () => {
    const directory = join(folder, 'new', 'data');
    await importFrom(file, { directory });
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    await rm(join(folder, 'new'), { recursive: true });
  });

  it('is refused, and changes nothing, if the database is not empty', async () => {
    await expect(importFrom(file, source)).rejects.toThrow(/^the database is not empty \(/);
    const database = await engines[1].database();
    const { store, queue } = await openQueue(database);
    await queue.put('done', { n: 1 });
    await expect(importFrom(file, database)).rejects.toThrow('(pgboss.job has rows)');
    expect(await queue.count()).toMatchObject({ dead: 0 });
    expect(await store.query('select from bot.thread')).toEqual([]);
    await store.close(0);
  });
});

describe('an export of a server', () => {
  it('is of one moment, however much is written meanwhile', async () => {
    const database = await engines[1].database();
    const store = await openStore(database);
    await opened(store);
    let writing = true;
    const writer = (async () => {
      for (let n = 0; writing; n++) await store.query('insert into bot.autoreply values ($1)', [`19:${n}`]);
    })();
    for (let round = 0; round < 10; round++) {
      const path = join(folder, `busy-${round}.jsonl`);
      const counts = await exportTo(path, database, '1');
      expect(await rowsOf(path)).toHaveLength(counts.autoreply);
      await rm(path);
    }
    writing = false;
    await writer;
    await store.close(0);
  });
});
