import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { DatabaseSettings } from '../../src/store/connection.ts';
import { createQueue, MAX_WAITING, type StartableQueue } from '../../src/store/queues.ts';
import type { DeadJob, JobOutcome } from '../../src/store/workers.ts';
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
    const store = await openStore(database, async (boss) => [await queue.start(boss, worker)]);
    stores.push(store);
    const queue: StartableQueue<Job> = createQueue<Job>(store, {
      name: 'post',
      schema: jobSchema,
      onError: (error) => errors.push(error),
    });
    await opened(store);
    const stateOf = async (where: string) =>
      (
        await store.query<{ name: string; state: string }>(
          `select name, state from pgboss.job where ${where}`,
        )
      )[0]?.state;
    return { database, store, queue, errors, stateOf, dead };
  }

  it('hands a job to its worker with its data and its key', async () => {
    const work = vi.fn(done);
    const { queue } = await open(work);
    expect(await queue.put('k', job)).toBe('put');
    await vi.waitFor(() => expect(work.mock.calls).toEqual([[job, 'k']]), LONG);
    await vi.waitFor(async () => expect(await queue.count()).toEqual({ waiting: 0, dead: 0 }), LONG);
  });

  it('knows a job by its key, before and after it is done', async () => {
    const { queue, stateOf } = await open();
    expect(await queue.has('k')).toBe(false);
    expect(await queue.find('k')).toBeUndefined();
    expect(await queue.put('k', job)).toBe('put');
    await vi.waitFor(async () => expect(await stateOf("name = 'post'")).toBe('completed'), LONG);
    expect(await queue.put('k', { text: 'another', attempt: 7 })).toBe('known');
    expect(await queue.has('k')).toBe(true);
    expect(await queue.find('k')).toEqual(job);
    expect(await queue.count()).toEqual({ waiting: 0, dead: 0 });
  });

  it('makes one job of equal keys that are put at once, from two processes where the database allows two', async () => {
    const work = vi.fn(done);
    const first = await open(work);
    const second = 'url' in first.database ? await open(work, first.database) : first;
    const puts = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? first : second).queue.put('k', { text: `${index}`, attempt: 0 }),
    );
    expect((await Promise.all(puts)).filter((put) => put === 'put')).toHaveLength(1);
    await vi.waitFor(async () => expect(await first.stateOf("name = 'post'")).toBe('completed'), LONG);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('settles a job that waits, so that no worker gets it', async () => {
    const work = vi.fn(done);
    const { queue, stateOf } = await open(work);
    await queue.put('k', job, 3000);
    await queue.settle('k');
    expect(await stateOf("name = 'post'")).toBe('completed');
    await queue.put('after', job, 4000);
    await vi.waitFor(() => expect(work).toHaveBeenCalled(), LONG);
    expect(work.mock.calls).toEqual([[job, 'after']]);
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
    await vi.waitFor(async () => expect(await queue.count()).toEqual({ waiting: 0, dead: 0 }), LONG);
  });

  it('takes a job soon after it is due, whoever put it there', async () => {
    const taken = vi.fn(async (): Promise<JobOutcome<Job>> => ({ kind: 'done' }));
    const { store, queue } = await open(taken);
    await queue.put('later', job, HOUR_MS);
    await queue.put('now', job);
    await vi.waitFor(() => expect(taken).toHaveBeenCalledTimes(1), LONG); // So that the workers wait, with nothing to wait for.
    await store.query(
      "update pgboss.job set start_after = now() + interval '1 second' where state = 'created'",
    );
    const begun = performance.now();
    await vi.waitFor(() => expect(taken).toHaveBeenLastCalledWith(job, 'later'), LONG);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('makes no two of a job that is to come again when its worker dies before it was settled', async () => {
    const seen: number[] = [];
    const { queue, store } = await open(async (each) => {
      seen.push(each.attempt);
      return each.attempt === 1
        ? { kind: 'done' }
        : { kind: 'again', data: { ...each, attempt: 1 }, afterMs: 2500 };
    });
    await queue.put('k', job);
    await vi.waitFor(() => expect(seen).toEqual([0]), LONG);
    await vi.waitFor(async () => expect(await queue.count()).toEqual({ waiting: 1, dead: 0 }), LONG);
    // As it stands in the database when a worker died between the two steps.
    await vi.waitFor(async () => {
      const rows = await store.query(
        "update pgboss.job set state = 'retry', completed_on = null, start_after = now() where name = 'post' and state = 'completed' returning id",
      );
      expect(rows).toHaveLength(1);
    }, LONG);
    await vi.waitFor(() => expect(seen).toContain(1), LONG);
    await vi.waitFor(async () => expect(await queue.count()).toEqual({ waiting: 0, dead: 0 }), LONG);
    expect(seen).toEqual([0, 0, 1]);
  });

  it('keeps what was given up among the dead letters, to be put back or dropped', async () => {
    const work = vi.fn<Work>(async () => ({ kind: 'dead', reason: 'not found' }));
    const { queue, stateOf, dead } = await open(work);
    await queue.put('one', { text: 'one', attempt: 3 });
    await vi.waitFor(async () => expect(await queue.count()).toEqual({ waiting: 0, dead: 1 }), LONG);
    await queue.put('two', { text: 'two', attempt: 4 });
    await vi.waitFor(async () => expect(await queue.count()).toEqual({ waiting: 0, dead: 2 }), LONG);
    expect(work).toHaveBeenCalledTimes(2);
    expect(await stateOf("name = 'post'")).toBe('completed');
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
    await vi.waitFor(async () => expect(await queue.count()).toEqual({ waiting: 0, dead: 0 }), LONG);
    expect(work.mock.calls.slice(2)).toEqual([
      [{ text: 'one', attempt: 0 }, 'one'],
      [{ text: 'two', attempt: 0 }, 'two'],
    ]);
    expect(await queue.dropDead()).toBe(0);
  });

  it('gives up data of another form at once, tells of it, and keeps it until it is dropped', async () => {
    const work = vi.fn(done);
    const { queue, store, dead } = await open(work);
    await store.ask((boss) => boss.send('post', { key: 'old', data: { text: 7 } }));
    await store.ask((boss) => boss.send('post', { neither: 'key nor data' }));
    await vi.waitFor(() => expect(dead).toHaveLength(2), LONG);
    expect(dead).toContainEqual({
      key: 'old',
      data: { text: 7 },
      reason: 'another release of the bot wrote it',
    });
    await vi.waitFor(async () => expect(await queue.count()).toEqual({ waiting: 0, dead: 2 }), LONG);
    expect(work).not.toHaveBeenCalled();
    expect(await queue.listDead(10)).toEqual([]);
    expect(await queue.retryDead((data) => data)).toBe(0);
    expect(await queue.dropDead()).toBe(2);
    expect(await queue.count()).toEqual({ waiting: 0, dead: 0 });
  });

  it('leaves a job of a newer release to that release, for a day', async () => {
    const work = vi.fn(done);
    const { store, dead } = await open(work);
    const content = { version: 2, key: 'k', data: { text: 'a', attempt: 0 } };
    await store.ask((boss) => boss.send('post', content));
    await vi.waitFor(async () => {
      const rows = await store.query("select from pgboss.job where name = 'post' and start_after > now()");
      expect(rows).toHaveLength(1);
    }, LONG);
    expect(dead).toEqual([]);
    await store.query(
      "update pgboss.job set created_on = now() - interval '25 hours', start_after = now() where name = 'post'",
    );
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
    const [row] = await second.store.query<{ tries: number }>(
      "select retry_count as tries from pgboss.job where name = 'post'",
    );
    expect(row?.tries).toBe(0);
  });

  it('gives up a job that was under way when 20 processes died', async () => {
    const work = vi.fn(done);
    const { queue, store, dead } = await open(work);
    await queue.put('k', job, HOUR_MS);
    await store.query(
      "update pgboss.job set retry_count = 19, started_on = now(), state = 'retry', start_after = now() where name = 'post'",
    );
    await vi.waitFor(() => expect(dead).toHaveLength(1), LONG);
    expect(dead[0]?.reason).toBe('20 processes died while it was under way');
    expect(work).not.toHaveBeenCalled();
  });

  it('settles each job when it ends, however long another takes', async () => {
    const { promise: slow, resolve: endSlow } = Promise.withResolvers<void>();
    const { queue, store } = await open(async (_job, key) => {
      if (key === 'slow') await slow;
      return { kind: 'done' };
    });
    const states = () =>
      store.query<{ state: string; count: string }>(
        "select state, count(*) from pgboss.job where name = 'post' group by state order by state",
      );
    await queue.put('slow', job);
    await Promise.all(Array.from({ length: 100 }, (_, index) => queue.put(`quick ${index}`, job)));
    await vi.waitFor(
      async () =>
        expect((await states()).map(({ state, count }) => [state, Number(count)])).toEqual([
          ['active', 1],
          ['completed', 100],
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
    const { queue, store, errors } = await open(work);
    await queue.put('k', job);
    await vi.waitFor(async () => expect(await queue.count()).toEqual({ waiting: 0, dead: 1 }), {
      timeout: 40_000,
      interval: 50,
    });
    expect(work.mock.calls.length).toBe(5);
    expect(errors).toHaveLength(5);
    const rows = await store.query<{ row: string }>('select job::text as row from pgboss.job');
    expect(rows.some(({ row }) => row.includes('the bot failed 5 times; see its log'))).toBe(true);
    expect(rows.filter(({ row }) => row.includes('sentinel-8c1f'))).toEqual([]);
  });

  it('is full at its bound, and puts nothing then', async () => {
    const { queue, store } = await open();
    await store.query(
      `insert into pgboss.job (name, data, start_after)
       select 'post', '{"key":"x","data":{"text":"x","attempt":0}}'::jsonb, now() + interval '1 hour'
       from generate_series(1, ${MAX_WAITING - 1})`,
    );
    expect(await queue.put('last', job, HOUR_MS)).toBe('put');
    expect(await queue.put('over', job, HOUR_MS)).toBe('full');
    expect(await queue.has('over')).toBe(false);
    expect(await queue.count()).toEqual({ waiting: MAX_WAITING, dead: 0 });
    expect(await queue.put('last', job)).toBe('known');
    await queue.settle('last');
    await vi.waitFor(async () => expect(await queue.put('over', job, HOUR_MS)).toBe('put'), LONG);
  });

  it('keeps its bound among many that are put at once, and counts once for all of them', async () => {
    const { queue, store } = await open();
    await store.query(
      `insert into pgboss.job (name, data, start_after)
       select 'post', '{"key":"x","data":{"text":"x","attempt":0}}'::jsonb, now() + interval '1 hour'
       from generate_series(1, ${MAX_WAITING - 10})`,
    );
    const query = vi.spyOn(store, 'query');
    const puts = await Promise.all(
      Array.from({ length: 50 }, (_, index) => queue.put(`${index}`, job, HOUR_MS)),
    );
    expect(puts.filter((put) => put === 'put')).toHaveLength(10);
    expect(query.mock.calls.filter(([sql]) => sql.includes('count(*)'))).toHaveLength(1);
  });
});
