import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { DeadJob, JobOutcome, Work as WorkOf } from '../../src/domain/jobs.ts';
import { TIMING } from '../../src/domain/timing.ts';
import type { DatabaseSettings, Query, Value } from '../../src/store/dialect.ts';
import { StoreClosedError } from '../../src/store/faults.ts';
import { JobQueue, MAX_OPEN } from '../../src/store/queue.ts';
import { sweep } from '../../src/store/store.ts';
import { QueueWorkers } from '../../src/store/workers.ts';
import { ENGINES, opened, openQueue, openStore } from './engines.ts';

const jobSchema = z.object({ text: z.string(), attempt: z.number() });
type Job = z.infer<typeof jobSchema>;
type Work = WorkOf<Job>;

const done: Work = async () => ({ kind: 'done' });
const job: Job = { text: 'a\0', attempt: 0 };
const HOUR_MS = 3_600_000;
const LONG = { timeout: 30_000, interval: 20 };

describe.each(ENGINES)('a queue in %s', { timeout: 60_000 }, (_name, create) => {
  async function open(work: Work = done, settings?: DatabaseSettings) {
    const dead: DeadJob[] = [];
    const database = settings ?? (await create());
    const onDead = (each: DeadJob) => dead.push(each);
    const { store, queue } = await openQueue(database, { schema: jobSchema, work, onDead });
    return {
      database,
      store,
      queue,
      dead,
      alter: (changes: string) => store.query(`update job set ${changes}`),
      counts: (waiting: number, dead: number) =>
        vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting, dead }), LONG),
      isDone: (key: string) => vi.waitFor(async () => expect(await queue.find(key)).toMatch(/^d/), LONG),
    };
  }

  it('makes one job of equal keys of two processes, and knows it', async () => {
    const work = vi.fn(done);
    const first = await open(work);
    const second = 'url' in first.database ? await open(work, first.database) : first;
    expect(await first.queue.find('k')).toBeUndefined();
    const puts = Array.from({ length: 10 }, () => [first.queue.put('k', job), second.queue.put('k', job)]);
    const known = Array(19).fill('known');
    expect((await Promise.all(puts.flat())).toSorted()).toEqual([...known, 'put']);
    await first.isDone('k');
    expect(await first.queue.put('k', { text: 'another', attempt: 7 })).toBe('known');
    const times = { now: expect.any(Number), ageMs: expect.any(Number) };
    expect(work.mock.calls).toEqual([[{ data: job, key: 'k', added: [], ...times }]]);
  });

  it('works on one job at a time in one place, the longest due first', async () => {
    const database = await create();
    const idle = await openQueue(database, { schema: jobSchema });
    for (const [index, key] of ['last', 'first', 'second'].entries())
      await idle.queue.put(key, job, [-1000, -3000, -2000][index]);
    await idle.store.close(0);
    const seen: string[] = [];
    const work: Work = async ({ key }) => {
      seen.push(`${key} begins`);
      await delay(20);
      seen.push(`${key} ends`);
      return { kind: 'done' };
    };
    await openQueue(database, { schema: jobSchema, work, places: 1 });
    const order = ['first', 'second', 'last'].flatMap((key) => [`${key} begins`, `${key} ends`]);
    await vi.waitFor(() => expect(seen).toEqual(order), LONG);
  });

  it('takes the post that was put first, whichever was due first', async () => {
    const { store } = await openQueue(await create(), { schema: jobSchema });
    const posts = new JobQueue(store, { name: 'post', schema: jobSchema, leaseMs: TIMING.leaseMs });
    for (const [key, due] of [
      ['a', -1],
      ['b', -9],
      ['c', -5],
    ] as const)
      await posts.put(key, job, due);
    expect((await posts.take(randomUUID(), 2)).map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('lists its open jobs with what was added to each, and its clock', async () => {
    const { queue } = await openQueue(await create(), { schema: jobSchema });
    await queue.put('one', job, HOUR_MS);
    await queue.put('over', job);
    await queue.settle('over');
    for (const [n, key] of ['one', 'two', 'one'].entries()) await queue.wake(key, job, { n });
    const at = expect.any(Number);
    const added = (...all: number[]) => all.map((n) => ({ at, data: { n } }));
    expect(await queue.list('open')).toMatchObject([
      { key: 'one', data: job, added: added(0, 2), now: at },
      { key: 'two', data: job, added: added(1), now: at },
    ]);
  });

  it('keeps dead letters, to be put back or dropped', async () => {
    const work = vi.fn<Work>(async () => ({ kind: 'dead', reason: 'not found' }));
    const { queue, dead, counts, isDone } = await open(work);
    for (const [index, key] of ['one', 'two'].entries()) {
      await queue.put(key, job);
      await counts(0, index + 1);
    }
    const letters = ['one', 'two'].map((key) => ({ key, data: job, reason: 'not found' }));
    expect(dead).toEqual(letters);
    expect(await queue.list('dead')).toMatchObject(letters);
    expect(await queue.list('dead', 1)).toHaveLength(1);
    work.mockImplementation(done);
    expect([await queue.revive('one'), await queue.revive('none')]).toEqual([true, false]);
    await queue.settle('two');
    await counts(0, 0);
    await isDone('one');
    expect(work.mock.calls.slice(2)).toMatchObject([[{ data: job, key: 'one' }]]);
  });

  it('gives up a damaged row at once, and leaves a newer release its jobs', async () => {
    const work = vi.fn(done);
    const { store, queue, alter, dead, counts } = await open(work);
    const old = '{"version":1,"key":"old","data":{"text":7}}';
    const newer = '{"version":3,"key":"k","data":{"text":"a","attempt":0}}';
    for (const each of [newer, old, '{"neither":"key nor data"}', '{"version":1,"key":"cut o', ''])
      await store.query(
        `insert into job (queue, id, state, data, due, at) values ('lookup', $1, 'open', $2, now_ms(), now_ms())`,
        [randomUUID(), each],
      );
    await counts(1, 4);
    const reason = 'its row is damaged, or another release of the bot wrote it';
    const nothing = { key: undefined, data: undefined, reason };
    expect(dead).toEqual([{ key: 'old', data: { text: 7 }, reason }, nothing, nothing, nothing]);
    for (const { key } of await queue.list('dead')) await queue.settle(key);
    expect(await queue.count()).toEqual({ waiting: 1, dead: 0, overdue: 0 });
    await alter(`at = now_ms() - ${24 * HOUR_MS}, due = now_ms()`);
    await counts(0, 1);
    expect(work).not.toHaveBeenCalled();
  });

  it('gives a job back when it stops, and spends no try', async () => {
    const begun = vi.fn(() => new Promise<never>(() => {}));
    const first = await open(begun);
    await first.queue.put('k', job);
    await vi.waitFor(() => expect(begun).toHaveBeenCalled(), LONG);
    await first.store.close(100);
    const next = await opened(await openStore(first.database)); // Nobody works here, so the job stays as it was left.
    const left = await next.query(`select state, lease, deaths from job`);
    expect(left).toEqual([{ state: 'open', lease: null, deaths: 0 }]);
  });

  it('gives up a job that was under way when 20 processes died', async () => {
    const work = vi.fn(done);
    const { queue, alter, dead } = await open(work);
    await queue.put('k', job, HOUR_MS);
    await alter(`deaths = 19, lease = 'of a dead process', lease_until = now_ms() - 1, due = now_ms()`);
    await vi.waitFor(() => expect(dead).toMatchObject([{ key: 'k' }]), LONG);
    expect(work).not.toHaveBeenCalled();
  });

  it('settles each job when it ends, however long another takes', async () => {
    const { promise: slow, resolve: endSlow } = Promise.withResolvers<void>();
    const { queue, isDone } = await open(async ({ key }) => {
      if (key === 'slow') await slow;
      return { kind: 'done' };
    });
    const keys = Array.from({ length: 100 }, (_, index) => `quick ${index}`);
    await Promise.all(['slow', ...keys].map((key) => queue.put(key, job)));
    await Promise.all(keys.map(isDone));
    endSlow();
  });

  it('gives up a job at its fifth exception, and stores no error message', async () => {
    const work = vi.fn<Work>().mockRejectedValue(new Error('sentinel-8c1f'));
    const { queue, store, counts } = await open(work);
    await queue.put('k', job);
    await counts(0, 1);
    expect([work.mock.calls.length, store.errors.length]).toEqual([5, 5]);
    const rows = JSON.stringify(await store.query(`select * from job`));
    expect(rows).toContain('the bot failed 5 times; see its log');
    expect(rows).not.toContain('sentinel-8c1f');
  });

  it('forgets the exceptions of a job that was done, and counts no outage', async () => {
    const away = new StoreClosedError('the database is away');
    const work = vi.fn<Work>().mockResolvedValue({ kind: 'done' });
    const { queue, counts } = await open(work);
    for (const [round, error] of [...Array(4).fill(new Error('a bug')), away].entries()) {
      work.mockRejectedValueOnce(error);
      await queue.wake('k', job, {});
      await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2 * round + 2), 10_000);
      await counts(0, 0);
    }
  });

  it('is full at its bound, and puts nothing then', async () => {
    const { queue, store } = await open();
    await store.query(
      `insert into job (queue, id, state, data, due, at)
       with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${MAX_OPEN - 1})
       select 'lookup', cast(n as text), 'open', '', now_ms() + ${HOUR_MS}, now_ms() from numbers`,
    );
    expect(await queue.put('last', job, HOUR_MS)).toBe('put');
    expect(await queue.put('over', job, HOUR_MS)).toBe('full');
    expect(await queue.find('over')).toBeUndefined();
    expect(await queue.count()).toMatchObject({ waiting: MAX_OPEN, dead: 0 });
    expect(await queue.put('last', job)).toBe('known');
    await queue.settle('last');
    expect(await queue.put('over', job, HOUR_MS)).toBe('put');
  });

  it('knows a done job for 24 hours and a dead letter for 30 days', async () => {
    const { queue, store, alter, isDone } = await open(async ({ key }) =>
      key === 'dead' ? { kind: key, reason: 'not found' } : { kind: 'done' },
    );
    for (const key of ['done', 'dead']) {
      await queue.put(key, job);
      await isDone(key);
    }
    for (const [hours, ...known] of [[23, 'done', 'dead'], [2, undefined, 'dead'], [30 * 24]] as const) {
      await alter(`at = at - ${hours * HOUR_MS}`);
      await sweep(store);
      const [done, dead] = known;
      expect([await queue.find('done'), await queue.find('dead')]).toEqual([done, dead]);
    }
  });

  it('counts no death for a job that a timed-out call took', async () => {
    const store = await opened(await openStore(await create()));
    let late = 3;
    const query: Query = async <Row>(sql: string, values?: readonly Value[]) => {
      const rows = await store.query<Row>(sql, values);
      if (/^with next/.test(sql) && rows.length > 0 && late-- > 0) throw new Error('too late');
      return rows;
    };
    const queue = new JobQueue({ ...store, query }, { name: 'lookup', schema: jobSchema, leaseMs: 1500 });
    await queue.put('k', job);
    const deaths = Promise.withResolvers<unknown>();
    const work: Work = async () => {
      deaths.resolve(await store.query(`select deaths from job`));
      return { kind: 'done' };
    };
    const timing = { ...TIMING, leaseMs: 1500 };
    const workers = new QueueWorkers(queue, { work, onDead: async () => {}, timing, onError() {} });
    const waking = setInterval(() => workers.wake(), 20);
    onTestFinished(() => clearInterval(waking));
    onTestFinished(() => workers.stop(1000));
    expect(await deaths.promise).toEqual([{ deaths: 0 }]);
  });

  it('settles a job under way by its outcome, and lets nobody else take it', async () => {
    const work = vi.fn(done);
    const { database, store, queue, alter, isDone, dead } = await open(work);
    const { promise, resolve } = Promise.withResolvers<JobOutcome<Job>>();
    expect(await queue.put('k', job, promise)).toBe('put');
    expect(await queue.put('k', job)).toBe('known');
    expect(await queue.change('k', { ...job, attempt: 1 })).toBe(false);
    await alter(`lease_until = now_ms() - 1`); // As if the database had been away.
    await queue.put('next', job);
    await isDone('next');
    resolve({ kind: 'done' });
    await isDone('k');
    await queue.put('again', job, Promise.resolve({ kind: 'again', data: job, afterMs: 0 }));
    await isDone('again');
    await queue.put('failed', job, Promise.reject(new Error('a bug')));
    await isDone('failed');
    await queue.put('dead', job, Promise.resolve({ kind: 'dead', reason: 'not found' }));
    await isDone('dead');
    expect(work.mock.calls.map(([{ key }]) => key)).toEqual(['next', 'again', 'failed']);
    expect(dead).toMatchObject([{ key: 'dead' }]);
    await queue.put('died', job, new Promise(() => {}));
    await store.close(0);
    const { alter: expire, isDone: isDoneNext } = await open(done, database);
    await expire(`lease_until = now_ms()`);
    await isDoneNext('died');
  });

  it('says how long the oldest job has been due', async () => {
    const { queue, alter, store } = await open();
    await store.endJobs(0);
    await queue.put('k', job);
    await alter('due = due - 7000');
    const { overdue } = await queue.count();
    expect(overdue).toBeGreaterThanOrEqual(7000);
    expect(overdue).toBeLessThan(17_000);
  });
});
