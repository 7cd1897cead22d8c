import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { startSweeping } from '../../src/store/done-jobs.ts';
import { createQueue } from '../../src/store/queues.ts';
import type { JobOutcome } from '../../src/store/workers.ts';
import { ENGINES, type Engine, opened, openStore, type TestStore, workerOf } from './engines.ts';

const jobSchema = z.object({ text: z.string() });
type Job = z.infer<typeof jobSchema>;
const job = { text: 'a' };
const LONG = { timeout: 30_000, interval: 50 };

describe.each(ENGINES)('a job that was done, in %s', { timeout: 60_000 }, (_name, start) => {
  let engine: Engine;
  const stores: TestStore[] = [];
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close(1000)));
    await engine.close();
  });

  async function open() {
    const work = vi.fn(async (): Promise<JobOutcome<Job>> => ({ kind: 'done' }));
    const store = await openStore(await engine.database(), async (boss) => [
      await queue.start(boss, workerOf(work)),
    ]);
    stores.push(store);
    const queue = createQueue(store, {
      name: 'lookup',
      schema: jobSchema,
      onError: (error) => store.errors.push(error),
    });
    await opened(store);
    const { query } = store;
    const count = async (table: string) =>
      Number((await query<{ count: string }>(`select count(*) from ${table}`))[0]?.count);
    const hasAutovacuum = engine.server !== undefined;
    const beginSweeping = () =>
      startSweeping({ query, hasAutovacuum, onError: (error) => store.errors.push(error) });
    return {
      store,
      queue,
      work,
      count,
      beginSweeping,
      sweep: () => beginSweeping().stop(),
      /** Makes all done jobs older by this interval. */
      age: (ago: string) =>
        query(`with jobs as (update pgboss.job set completed_on = completed_on - interval '${ago}')
               update bot.job_key set at = at - interval '${ago}'`),
      whenDone: (jobs: number) =>
        vi.waitFor(async () => expect(await count("pgboss.job where state = 'completed'")).toBe(jobs), LONG),
    };
  }

  it('stays where it was for a while, so that a late put of the same job finds it', async () => {
    const { queue, sweep, count, whenDone } = await open();
    await queue.put('k', job);
    await whenDone(1);
    await sweep();
    expect([await count('pgboss.job'), await count('bot.job_key')]).toEqual([1, 0]);
  });

  it('leaves the engine, and is known by its key for a day', async () => {
    const { store, queue, work, sweep, age, count, whenDone } = await open();
    await queue.put('k', job);
    await whenDone(1);
    await age('1 minute');
    await sweep();
    expect([await count('pgboss.job'), await count('bot.job_key')]).toEqual([0, 1]);
    expect(await queue.has('k')).toBe(true);
    expect(await queue.find('k')).toEqual(job);
    expect(await queue.put('k', { text: 'another' })).toBe('known');

    await age('23 hours');
    await sweep();
    expect(await queue.has('k')).toBe(true);

    await age('1 hour');
    await sweep();
    expect(await queue.has('k')).toBe(false);
    expect(await queue.find('k')).toBeUndefined();
    expect(await queue.put('k', job)).toBe('put');
    await whenDone(1);
    expect(work).toHaveBeenCalledTimes(2);
    expect(store.errors).toEqual([]);
  });

  it('does not come again when the job before it was not settled', async () => {
    const { store, queue, work, sweep, age, whenDone } = await open();
    work.mockResolvedValueOnce({ kind: 'again', data: job, afterMs: 0 });
    await queue.put('k', job);
    await whenDone(2);
    // The state of the database after the first job's worker died before it settled the job.
    const isFirst = `id = (select id from pgboss.job order by created_on limit 1)`;
    await store.query(
      `update pgboss.job set state = 'retry', completed_on = null, start_after = now() + interval '1 hour' where ${isFirst}`,
    );
    await age('1 minute');
    await sweep();
    work.mockResolvedValueOnce({ kind: 'again', data: job, afterMs: 0 });
    await store.query(`update pgboss.job set start_after = now() where ${isFirst}`);
    await whenDone(1);
    expect(await queue.count()).toEqual({ waiting: 0, dead: 0 });
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('is not mixed up with a job that waits', async () => {
    const { queue, sweep, age, count, whenDone } = await open();
    await queue.put('done', job);
    await whenDone(1);
    await queue.put('waits', job, 3_600_000);
    await age('1 minute');
    await sweep();
    expect([await count('pgboss.job'), await count('bot.job_key')]).toEqual([1, 1]);
    expect(await queue.count()).toEqual({ waiting: 1, dead: 0 });
  });

  it('leaves in batches if an older version left many', async () => {
    const { store, count, beginSweeping } = await open();
    await store.query(
      `insert into pgboss.job (name, data, state, completed_on)
       select 'lookup', '{"key":"x","data":{"text":"x"}}', 'completed', now() - interval '1 hour'
       from generate_series(1, 12000)`,
    );
    const sweepings = [beginSweeping(), beginSweeping()];
    await vi.waitFor(async () => expect(await count('bot.job_key')).toBe(12_000), LONG);
    await Promise.all(sweepings.map(({ stop }) => stop()));
    expect(await count('pgboss.job')).toBe(0);
    expect(store.errors).toEqual([]);
    if (engine.server !== undefined) return;
    // Their space is freed too: nobody else does that for the embedded database.
    const size = "select pg_relation_size('pgboss.job_common')::int as bytes";
    await vi.waitFor(async () => expect(await store.query(size)).toEqual([{ bytes: 0 }]), LONG);
  });
});

it('done jobs are swept as soon as a store is open', { timeout: 60_000 }, async () => {
  const [, start] = ENGINES[0] ?? [];
  const engine = await start?.();
  if (engine === undefined) throw new Error('no engine');
  const database = await engine.database();
  const first = await openStore(database);
  await opened(first);
  await first.ask((boss) => boss.createQueue('lookup'));
  await first.query(
    "insert into pgboss.job (name, state, completed_on) values ('lookup', 'completed', now() - interval '1 hour')",
  );
  await first.close(1000);
  const second = await openStore(database);
  await opened(second);
  await vi.waitFor(
    async () => expect(await second.query('select 1 as one from bot.job_key')).toEqual([{ one: 1 }]),
    LONG,
  );
  await second.close(1000);
  expect([...first.errors, ...second.errors]).toEqual([]);
  await engine.close();
});
