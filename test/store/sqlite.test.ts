import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../src/domain/timing.ts';
import { type LastingFault, lastingFaultOf } from '../../src/store/faults.ts';
import { claimFolder, lockFolder, openSqlite } from '../../src/store/sqlite.ts';
import { sweep } from '../../src/store/store.ts';
import { createRows } from '../../src/store/tables.ts';
import { newFolder, openStore } from './engines.ts';

const NOW = 1_000_000;
const FILE = 'nac-lookup-bot.db';
const INSERT = `insert into job (queue, id, state, data, due, at) values ('post', $1, 'open', '', now_ms(), now_ms())`;

async function open(options: { folder?: string } & Partial<Clock> = {}) {
  const { folder = await newFolder(), now = () => NOW, steady = now } = options;
  const engine = openSqlite(folder, { now, steady });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= engine.close());
  onTestFinished(close);
  return { ...engine, close, folder };
}

it('the sweep finds its jobs by an index', async () => {
  const { query } = await open();
  const plans: unknown[] = [];
  const explain = async <Row>(sql: string): Promise<Row[]> => {
    if (/\bjob\b/.test(sql)) plans.push(...(await query(`explain query plan ${sql}`)));
    return [];
  };
  await sweep({ query: explain });
  const details = plans.map((plan) => String(Object(plan).detail));
  expect(details.filter((each) => /job_settled/.test(each))).toHaveLength(2);
  expect(details.filter((each) => /^SCAN job/.test(each))).toEqual([]);
});

it('calls of one turn reach the disk together, before their answers', async () => {
  const { query, folder } = await open();
  const other = new DatabaseSync(join(folder, FILE), { readOnly: true });
  const seen = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await query(INSERT, [`${index}`]);
      return other.prepare('select count(*) as count from job').get()?.count;
    }),
  );
  other.close();
  expect(seen).toEqual(Array(20).fill(20));
});

it('calls of one turn fail and are undone one by one', async () => {
  const { query } = await open();
  const two = `insert into job (queue, id, state, data, due, at)
      select 'post', value, 'open', '', 0, 0 from json_each('["c","a"]')`;
  const insert = (id: string) => query(INSERT, [id]);
  const calls = [insert('a'), insert('a'), query('no sql'), query(two), insert('b')];
  const all = await Promise.allSettled(calls);
  expect(all.map(({ status }) => status === 'fulfilled')).toEqual([true, false, false, false, true]);
  expect(await query('select id from job order by id')).toEqual([{ id: 'a' }, { id: 'b' }]);
});

it('calls of one turn all fail if the transaction does', async () => {
  const { query } = await open();
  await query('create table child (id integer references job (seq) deferrable initially deferred)');
  const all = await Promise.allSettled([query(INSERT, ['a']), query('insert into child values (7)')]);
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await query('select id from job')).toEqual([]);
});

it('calls that wait at the close are done', async () => {
  const { query, close, folder } = await open();
  const putting = query(INSERT, ['a']);
  await close();
  await putting;
  expect(await (await open({ folder })).query('select id from job')).toEqual([{ id: 'a' }]);
  await expect(query('select 1')).rejects.toThrow('the database is closed');
});

it('the next start frees jobs, and its clock is never behind the last one', async () => {
  const { query, close, folder } = await open();
  await query(INSERT, ['a']);
  await query("update job set lease = 'x', lease_until = now_ms() + 12000");
  await query(INSERT, ['kept for a week']);
  await query("update job set state = 'done', at = now_ms() + 518400000 where id = 'kept for a week'");
  await close();
  const clock = { now: NOW - 3_600_000, steady: 7 };
  const second = await open({ folder, now: () => clock.now, steady: () => clock.steady });
  expect(await second.query('select now_ms() as ms')).toEqual([{ ms: NOW }]);
  clock.now += 25 * 3_600_000; // A jump of the wall clock.
  clock.steady += 500;
  expect(await second.query('select now_ms() as ms')).toEqual([{ ms: NOW + 500 }]);
  expect(await second.query('select lease, deaths from job order by seq limit 1')).toEqual([
    { lease: null, deaths: 1 },
  ]);
});

describe('the embedded database does not open, and nothing is touched, if', () => {
  const OLD = 'postgres';
  const TEXT = 'a text, and a long one, so that it could be a header'.repeat(9);
  const makeNewer = async (folder: string) => {
    const { query, close } = await open({ folder });
    await query('update meta set version = version + 1');
    await close();
  };
  it.each<[what: string, prepare: (folder: string) => Promise<unknown>, fault: LastingFault, file: string]>([
    ['its file is no SQLite', (folder) => writeFile(join(folder, FILE), TEXT), 'no SQLite', FILE],
    ['a newer release made the file', makeNewer, 'newer release', FILE],
    ['0.1.0 has its database there', (folder) => mkdir(join(folder, OLD)), 'folder of 0.1.0', OLD],
  ])('%s', async (_, prepare, fault, file) => {
    const directory = await newFolder();
    await prepare(directory);
    expect(lastingFaultOf(await openStore({ directory }).catch((error: unknown) => error))).toBe(fault);
    expect((await readdir(directory)).filter((each) => each !== 'lock')).toEqual([file]);
  });

  it('its user may not write to the folder, or to the file', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, FILE), '', { mode: 0o400 });
    await chmod(folder, 0o500);
    expect(() => unprivileged(() => claimFolder(folder))).toThrow('EACCES');
    await chmod(folder, 0o777);
    expect(() => unprivileged(() => claimFolder(folder))).toThrow('EACCES');
    expect(() => claimFolder('/proc/none/below')).toThrow(); // Linux makes no folder there.
  });
});

function unprivileged<T>(run: () => T): T {
  const uid = process.geteuid?.();
  if (uid === 0) process.seteuid?.('nobody');
  try {
    return run();
  } finally {
    if (uid === 0) process.seteuid?.(0);
  }
}

describe("the embedded database's folder", { timeout: 60_000 }, () => {
  it('is made if missing, with its files for the owner alone', async () => {
    const directory = join(await newFolder(), 'data');
    const umask = process.umask(0);
    const store = await openStore({ directory });
    expect(store.state()).toBe('opening');
    await createRows(store, 'autoreply').add('here');
    process.umask(umask);
    const names = ['.', ...(await readdir(directory)).sort()];
    const stats = await Promise.all(names.map((name) => lstat(join(directory, name))));
    expect(names).toEqual(['.', 'lock', FILE, `${FILE}-shm`, `${FILE}-wal`]);
    expect(stats.map(({ mode }) => mode & 0o777)).toEqual([0o700, ...Array(4).fill(0o600)]);
  });

  it('of a killed owner is taken over by one of several processes', async () => {
    const parent = await newFolder();
    const folders = Array.from({ length: 40 }, (_, round) => join(parent, String(round)));
    const [owner, ...others] = [startOwner(), startOwner(), startOwner()];
    for (const folder of folders) {
      await mkdir(folder);
      expect(await claim(owner, folder)).toBe('got');
    }
    await kill(owner);
    for (const folder of folders) {
      const claims = await Promise.all(others.map((each) => claim(each, folder)));
      expect(claims.sort()).toEqual(['got', 'in use']);
      expect(() => lockFolder(folder)).toThrow('folder in use');
    }
  });
});

function startOwner(): ChildProcess {
  const owner = fork(new URL('owner.ts', import.meta.url));
  onTestFinished(() => kill(owner));
  return owner;
}

async function claim(owner: ChildProcess, folder: string): Promise<unknown> {
  const answer = once(owner, 'message');
  owner.send(folder);
  return (await answer)[0];
}

async function kill(owner: ChildProcess): Promise<void> {
  const exited = once(owner, 'exit');
  if (owner.kill('SIGKILL')) await exited;
}
