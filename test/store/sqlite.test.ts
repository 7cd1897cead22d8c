import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/store/dialect.ts';
import type { LastingFaultError } from '../../src/store/faults.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { openStore } from './engines.ts';

let directory: string;
let engines: Engine[];
let commits: number[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sqlite-'));
  engines = [];
  commits = [];
});
afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  await rm(directory, { recursive: true });
});

const NOW = 1_000_000;

function open(clock = () => NOW): Engine {
  const engine = openSqlite(directory, { clock, onCommit: (ms) => commits.push(ms) });
  engines.push(engine);
  return engine;
}

const INSERT = `insert into job (queue, id, state, data, due, at) values ('post', $1, 'open', '', now_ms(), now_ms())`;

describe('calls of one turn of the event loop', () => {
  it('reach the disk together', async () => {
    const { query } = open();
    await Promise.all(Array.from({ length: 20 }, (_, index) => query(INSERT, [`${index}`])));
    expect(await query('select count(*) as count from job')).toEqual([{ count: 20 }]);
    expect(commits).toHaveLength(1);
  });

  it('do not hurt one another: what fails is undone alone, and its caller is told', async () => {
    const { query } = open();
    const two = `insert into job (queue, id, state, data, due, at)
      select 'post', value, 'open', '', 0, 0 from json_each('["c","a"]')`;
    const all = await Promise.allSettled([
      query(INSERT, ['a']),
      query(INSERT, ['a']),
      query('no sql'),
      query(two),
      query(INSERT, ['b']),
    ]);
    expect(all.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(await query('select id from job order by id')).toEqual([{ id: 'a' }, { id: 'b' }]);
  });

  it('are answered only when another connection sees what they did', async () => {
    const { query } = open();
    const other = new DatabaseSync(join(directory, 'nac-lookup-bot.db'), { readOnly: true });
    const seen = await Promise.all(
      ['a', 'b'].map(async (id) => {
        await query(INSERT, [id]);
        return other.prepare('select count(*) as count from job').get()?.count;
      }),
    );
    other.close();
    expect(seen).toEqual([2, 2]);
  });

  it('all fail if the transaction does', async () => {
    const { query } = open();
    await query('create table parent (id integer primary key)');
    await query('create table child (id integer references parent deferrable initially deferred)');
    const all = await Promise.allSettled([query(INSERT, ['a']), query('insert into child values (7)')]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await query('select id from job')).toEqual([]);
  });

  it('that wait at the close are done', async () => {
    const engine = open();
    const putting = engine.query(INSERT, ['a']);
    await engine.close();
    await putting;
    engines = [];
    expect(await open().query('select id from job')).toEqual([{ id: 'a' }]);
  });
});

describe("the store's clock", () => {
  it('goes on where it was, if the clock of the computer was set back between two runs', async () => {
    const first = open();
    await first.query(INSERT, ['a']);
    await first.close();
    engines = [];
    let now = NOW - 3_600_000;
    const second = open(() => now);
    expect(await second.query('select now_ms() as ms')).toEqual([{ ms: NOW }]);
    now += 500;
    expect(await second.query('select now_ms() as ms')).toEqual([{ ms: NOW + 500 }]);
  });
});

describe('a job that was under way when the process died', () => {
  it('is free at the next start, and the death is counted', async () => {
    const first = open();
    await first.query(INSERT, ['a']);
    await first.query("update job set lease = 'x', lease_until = now_ms() + 12000");
    await first.close();
    engines = [];
    expect(await open().query('select lease, deaths from job')).toEqual([{ lease: null, deaths: 1 }]);
  });
});

describe('the embedded database does not open, and nothing is touched, if', () => {
  const fault = () =>
    openStore({ directory }).then(
      () => 'opens',
      (error: LastingFaultError) => error.fault,
    );

  it('its file is no SQLite', async () => {
    await writeFile(
      join(directory, 'nac-lookup-bot.db'),
      'a text, and a long one, so that it could be a header'.repeat(9),
    );
    expect(await fault()).toBe('no SQLite');
  });

  it('a newer release made the file', async () => {
    const engine = open();
    await engine.query('update meta set version = version + 1');
    await engine.close();
    engines = [];
    expect(await fault()).toBe('newer release');
  });

  it('release 0.1.0 has its database there', async () => {
    await mkdir(join(directory, 'postgres'));
    expect(await fault()).toBe('folder of 0.1.0');
    expect(await readdir(directory)).toEqual(['postgres']);
    expect(existsSync(join(directory, 'lock'))).toBe(false);
  });
});
