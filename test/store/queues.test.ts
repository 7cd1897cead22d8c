import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { DeadJob, JobOutcome } from '../../src/domain/jobs.ts';
import { TIMING } from '../../src/domain/timing.ts';
import type { DatabaseSettings } from '../../src/store/connection.ts';
import { createQueue, MAX_WAITING, type StartableQueue } from '../../src/store/queues.ts';
import { sweep } from '../../src/store/store.ts';
import { ENGINES, type Engine, opened, openStore, type TestStore } from './engines.ts';

const jobSchema = z.object({ text: z.string(), attempt: z.number() });
type Job = z.infer<typeof jobSchema>;
type Work = (job: Job, key: string) => Promise<JobOutcome<Job>>;

const done: Work = async () => ({ kind: 'done' });
const job: Job = { text: 'a', attempt: 0 };
const HOUR_MS = 3_600_000;
const LONG = { timeout: 30_000, interval: 50 };

describe.each(ENGINES)('a queue in %s', { timeout: 60_000 }, (_name, start) => {
  let engine: Engine;
  const stores: TestStore[] = [];
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close(1000)));
    await engine.close();
  });

  async function open(work: Work = done, settings?: DatabaseSettings) {
    const dead: DeadJob[] = [];
    const worker = { work, onDead: async (each: DeadJob) => void dead.push(each) };
    const database = settings ?? (await engine.database());
    const errors: unknown[] = [];
    const store = await openStore(database, { onOpen: async () => [queue.start(worker)] });
    stores.push(store);
    const queue: StartableQueue<Job> = createQueue<Job>(store, {
      name: 'post',
      schema: jobSchema,
      timing: { ...TIMING, faults: { firstMs: 100, mostMs: 500 } },
      onError: (error) => errors.push(error),
    });
    await opened(store);
    const { job: table, now } = store.dialect;
    /** Changes every row as if time had passed, or another process had been there. */
    const alter = (changes: string) => store.query(`update ${table} set ${changes}`);
    const insert = (data: string) =>
      store.query(
        `insert into ${table} (queue, id, state, data, due, at) values ('post', $1, 'open', $2, ${now}, ${now})`,
        [randomUUID(), data],
      );
    return { database, store, queue, errors, dead, table, now, alter, insert };
  }

  it('hands a job to its worker with its data and its key', async () => {
    const work = vi.fn(done);
    const { queue } = await open(work);
    expect(await queue.put('k', job)).toBe('put');
    await vi.waitFor(() => expect(work.mock.calls).toEqual([[job, 'k', 1]]), LONG);
    await vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting: 0, dead: 0 }), LONG);
  });

  it('knows a job by its key, before and after it is done', async () => {
    const { queue } = await open();
    expect(await queue.has('k')).toBe(false);
    expect(await queue.find('k')).toBeUndefined();
    expect(await queue.put('k', job)).toBe('put');
    await vi.waitFor(async () => expect(await queue.progress('k')).toBe('done'), LONG);
    expect(await queue.put('k', { text: 'another', attempt: 7 })).toBe('known');
    expect(await queue.has('k')).toBe(true);
    expect(await queue.find('k')).toEqual(job);
    expect(await queue.count()).toMatchObject({ waiting: 0, dead: 0 });
  });

  it('makes one job of equal keys that are put at once, from two processes where the database allows two', async () => {
    const work = vi.fn(done);
    const first = await open(work);
    const second = 'url' in first.database ? await open(work, first.database) : first;
    const puts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? first : second).queue.put('k', { text: `${index}`, attempt: 0 }),
    );
    expect((await Promise.all(puts)).filter((put) => put === 'put')).toHaveLength(1);
    await vi.waitFor(async () => expect(await first.queue.progress('k')).toBe('done'), LONG);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('settles a job that waits, so that no worker gets it', async () => {
    const work = vi.fn(done);
    const { queue } = await open(work);
    await queue.put('k', job, 500);
    await queue.settle('k');
    expect(await queue.progress('k')).toBe('done');
    await queue.put('after', job, 1000);
    await vi.waitFor(() => expect(work).toHaveBeenCalled(), LONG);
    expect(work.mock.calls).toEqual([[job, 'after', expect.any(Number)]]);
  });

  it('gives a waiting job other data, and no other job', async () => {
    const work = vi.fn(done);
    const { queue } = await open(work);
    await queue.put('k', job, 1000);
    await queue.put('other', job, 1000);
    await queue.change('k', { ...job, text: 'changed\u0000' });
    await queue.change('never put', job);
    await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2), LONG);
    expect(new Map(work.mock.calls.map(([data, key]) => [key, data]))).toEqual(
      new Map([
        ['k', { ...job, text: expect.stringMatching(/^changed/) }],
        ['other', job],
      ]),
    );
  });

  it('puts waiting jobs off', async () => {
    const seen: Array<[key: string, at: number]> = [];
    const { queue } = await open(async (_job, key) => {
      seen.push([key, Date.now()]);
      return { kind: 'done' };
    });
    const begun = Date.now();
    await queue.put('one', job, 2000);
    await queue.put('two', job, 2000);
    await queue.put('another', job, 2000);
    await queue.defer(['one', 'two', 'never put'], 4500);
    await vi.waitFor(() => expect(seen).toHaveLength(3), LONG);
    expect(seen.map(([key]) => key).sort()).toEqual(['another', 'one', 'two']);
    const early = seen.filter(([, at]) => at - begun < 4400);
    expect(early.map(([key]) => key)).toEqual(['another']);
  });

  it('takes a job again later, with its new data', async () => {
    const seen: Array<[job: Job, at: number]> = [];
    const { queue } = await open(async (each) => {
      seen.push([each, Date.now()]);
      return each.attempt === 2
        ? { kind: 'done' }
        : { kind: 'again', data: { ...each, attempt: each.attempt + 1 }, afterMs: 1000 };
    });
    await queue.put('k', job);
    await vi.waitFor(() => expect(seen).toHaveLength(3), LONG);
    expect(seen.map(([{ attempt }]) => attempt)).toEqual([0, 1, 2]);
    const [first, second, third] = seen.map(([, at]) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(900);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThan(900);
    await vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting: 0, dead: 0 }), LONG);
  });

  it('takes a job soon after it is due, whoever put it there', async () => {
    const taken = vi.fn(done);
    const { queue, alter, now } = await open(taken);
    await queue.put('later', job, HOUR_MS);
    await queue.put('now', job);
    await vi.waitFor(() => expect(taken).toHaveBeenCalledTimes(1), LONG); // So that the workers wait, with nothing to wait for.
    await alter(`due = ${now} + 1000`);
    const begun = performance.now();
    await vi.waitFor(() => expect(taken).toHaveBeenLastCalledWith(job, 'later', 1), LONG);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('keeps what was given up among the dead letters, to be put back or dropped', async () => {
    const work = vi.fn<Work>(async () => ({ kind: 'dead', reason: 'not found' }));
    const { queue, dead } = await open(work);
    await queue.put('one', { text: 'one', attempt: 3 });
    await vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting: 0, dead: 1 }), LONG);
    await queue.put('two', { text: 'two', attempt: 4 });
    await vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting: 0, dead: 2 }), LONG);
    expect(work).toHaveBeenCalledTimes(2);
    expect(dead.map(({ key, reason }) => [key, reason])).toEqual([
      ['one', 'not found'],
      ['two', 'not found'],
    ]);
    expect((await queue.listDead(10)).map(({ data, at }) => [data.text, at instanceof Date])).toEqual([
      ['one', true],
      ['two', true],
    ]);
    expect(await queue.listDead(1)).toHaveLength(1);

    work.mockImplementation(done);
    expect(await queue.retryDead((data) => ({ ...data, attempt: 0 }))).toBe(2);
    await vi.waitFor(async () => expect(await queue.count()).toMatchObject({ waiting: 0, dead: 0 }), LONG);
    expect(work.mock.calls.slice(2)).toEqual([
      [{ text: 'one', attempt: 0 }, 'one', 1],
      [{ text: 'two', attempt: 0 }, 'two', 2],
    ]);
    expect(await queue.dropDead()).toBe(0);
  });

  it('gives up a damaged row at once, tells of it, and keeps it until it is dropped', async () => {
    const work = vi.fn(done);
    const { queue, insert, dead } = await open(work);
    const damaged = [
      '{"version":1,"key":"old","data":{"text":7}}',
      '{"neither":"key nor data"}',
      '{"version":1,"key":"cut o',
      '',
    ];
    for (const each of damaged) await insert(each);
    await vi.waitFor(() => expect(dead).toHaveLength(4), LONG);
    const reason = 'its row is damaged, or another release of the bot wrote it';
    expect(dead).toContainEqual({ key: 'old', data: { text: 7 }, reason });
    expect(dead).toContainEqual({ key: undefined, data: undefined, reason });
    await vi.waitFor(async () => expect((await queue.count()).dead).toBe(4), LONG);
    expect(work).not.toHaveBeenCalled();
    expect(await queue.listDead(10)).toEqual([]);
    expect(await queue.retryDead((data) => data)).toBe(0);
    expect(await queue.dropDead()).toBe(4);
    expect(await queue.count()).toEqual({ waiting: 0, dead: 0, overdue: 0 });
  });

  it('leaves a job of a newer release to that release, for a day', async () => {
    const work = vi.fn(done);
    const { insert, alter, store, table, now, dead } = await open(work);
    await insert('{"version":2,"key":"k","data":{"text":"a","attempt":0}}');
    await vi.waitFor(async () => {
      expect(await store.query(`select 1 from ${table} where due > ${now}`)).toHaveLength(1);
    }, LONG);
    expect(dead).toEqual([]);
    await alter(`at = at - ${25 * HOUR_MS}, due = ${now}`);
    await vi.waitFor(() => expect(dead).toHaveLength(1), LONG);
    expect(work).not.toHaveBeenCalled();
  });

  it('gives a job back when it stops, and spends no try', async () => {
    const begun = vi.fn(() => new Promise<never>(() => {}));
    const first = await open(begun);
    await first.queue.put('k', job);
    await vi.waitFor(() => expect(begun).toHaveBeenCalled(), LONG);
    await first.store.close(100);
    const second = await open(done, first.database);
    await vi.waitFor(async () => expect(await second.queue.progress('k')).toBe('done'), LONG);
    expect(await second.store.query(`select deaths from ${second.table}`)).toEqual([{ deaths: 0 }]);
  });

  it('gives up a job that was under way when 20 processes died', async () => {
    const work = vi.fn(done);
    const { queue, alter, now, dead } = await open(work);
    await queue.put('k', job, HOUR_MS);
    await alter(`deaths = 19, lease = 'of a dead process', lease_until = ${now} - 1, due = ${now}`);
    await vi.waitFor(() => expect(dead).toHaveLength(1), LONG);
    expect(dead[0]?.reason).toBe('20 processes died while it was under way');
    expect(work).not.toHaveBeenCalled();
  });

  it('settles each job when it ends, however long another takes', async () => {
    const { promise: slow, resolve: endSlow } = Promise.withResolvers<void>();
    const { queue, store, table } = await open(async (_job, key) => {
      if (key === 'slow') await slow;
      return { kind: 'done' };
    });
    await queue.put('slow', job);
    await Promise.all(Array.from({ length: 100 }, (_, index) => queue.put(`quick ${index}`, job)));
    const states = () =>
      store.query(`select state, count(*) as count from ${table} group by state order by state`);
    await vi.waitFor(
      async () =>
        expect(await states()).toEqual([
          { state: 'done', count: 100 },
          { state: 'open', count: 1 },
        ]),
      LONG,
    );
    endSlow();
  });

  it('tries a job again whose worker throws, gives it up, and keeps the message out of the database', {
    timeout: 60_000,
  }, async () => {
    const work = vi.fn<Work>(async () => {
      throw new Error('sentinel-8c1f');
    });
    const { queue, store, errors, table } = await open(work);
    await queue.put('k', job);
    await vi.waitFor(async () => expect((await queue.count()).dead).toBe(1), {
      timeout: 40_000,
      interval: 50,
    });
    expect(work.mock.calls.length).toBe(5);
    expect(errors).toHaveLength(5);
    const rows = JSON.stringify(await store.query(`select * from ${table}`));
    expect(rows).toContain('the bot failed 5 times; see its log');
    expect(rows).not.toContain('sentinel-8c1f');
  });

  it('is full at its bound, and puts nothing then', async () => {
    const { queue, store, table, now } = await open();
    const digits =
      '(select 0 as n union all select 1 union all select 2 union all select 3 union all select 4 union all select 5 union all select 6 union all select 7 union all select 8 union all select 9)';
    await store.query(
      `insert into ${table} (queue, id, state, data, due, at)
       select 'post', cast(n as text), 'open', '', ${now} + ${HOUR_MS}, ${now} from (
         select a.n + 10 * b.n + 100 * c.n + 1000 * d.n as n
         from ${digits} a cross join ${digits} b cross join ${digits} c cross join ${digits} d
       ) numbers where n < ${MAX_WAITING - 1}`,
    );
    expect(await queue.put('last', job, HOUR_MS)).toBe('put');
    expect(await queue.put('over', job, HOUR_MS)).toBe('full');
    expect(await queue.has('over')).toBe(false);
    expect(await queue.count()).toMatchObject({ waiting: MAX_WAITING, dead: 0 });
    expect(await queue.put('last', job)).toBe('known');
    await queue.settle('last');
    expect(await queue.put('over', job, HOUR_MS)).toBe('put');
  });

  it('knows a done job for 24 hours and a dead letter for 30 days', async () => {
    const { queue, store, alter } = await open(async ({ text }) =>
      text === 'dead' ? { kind: 'dead', reason: 'not found' } : { kind: 'done' },
    );
    for (const text of ['done', 'dead']) {
      await queue.put(text, { text, attempt: 0 });
      await vi.waitFor(async () => expect(await queue.progress(text)).toBe('done'), LONG);
    }
    const known = async () => [await queue.has('done'), await queue.has('dead')];
    await alter(`at = at - ${23 * HOUR_MS}`);
    await sweep(store);
    expect(await known()).toEqual([true, true]);
    await alter(`at = at - ${2 * HOUR_MS}`);
    await sweep(store);
    expect(await known()).toEqual([false, true]);
    await alter(`at = at - ${30 * 24 * HOUR_MS}`);
    await sweep(store);
    expect(await known()).toEqual([false, false]);
  });

  it('says how long the oldest job has been due', async () => {
    const { promise: never } = Promise.withResolvers<never>();
    const { queue, alter, store } = await open(() => never);
    await store.endJobs(0);
    await queue.put('k', job);
    await alter('due = due - 7000');
    const { overdue } = await queue.count();
    expect(overdue).toBeGreaterThanOrEqual(7000);
    expect(overdue).toBeLessThan(17_000);
  });
});
