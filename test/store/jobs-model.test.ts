import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createQueue } from '../../src/store/queues.ts';
import { createLeases, type Leases } from '../../src/store/workers.ts';
import { ENGINES, type Engine, opened, openStore, openWithClock, type TestStore } from './engines.ts';
import { JobsModel, keyOf, LEASE_MS, type Taken } from './jobs-model.ts';
import { createRandom } from './random.ts';

const STEPS = 4000;
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const KEYS = Array.from({ length: 400 }, (_, index) => `key ${index}`);

describe.each(ENGINES)('the jobs in %s', { timeout: 120_000 }, (_name, start) => {
  let engine: Engine;
  const stores: TestStore[] = [];
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close(1000)));
    await engine.close();
  });

  it(`do what the model says: nothing is lost, nothing is worked on twice while its lease holds (SEED=${SEED})`, async () => {
    const random = createRandom(SEED);
    const database = await engine.database();
    const { store, clock } = await openWithClock(database);
    stores.push(store);
    for (let count = 0; 'url' in database && count < 2; count++) {
      const other = await openStore(database);
      stores.push(other);
      await opened(other);
    }
    const model = new JobsModel(clock.now);
    const queue = createQueue(store, {
      name: 'post',
      schema: z.object({ n: z.number() }),
      onError: (error) => store.errors.push(error),
    });
    const workers = stores.map((each) => createLeases(each, 'post', LEASE_MS));
    /** What each worker believes to hold; a worker that slept or died believes wrongly, or knows nothing. */
    let taken: Taken[] = [];

    /** Several workers take jobs at once: what they get is due, in order, and nobody gets what another has. */
    async function takeTogether(takers: readonly Leases[]): Promise<void> {
      const limit = 1 + random.upTo(6);
      const due = model.due().map(({ key }) => key);
      const takes = takers.map((each) => ({ lease: randomUUID(), each }));
      const got = await Promise.all(takes.map(({ lease, each }) => each.take(lease, limit)));
      const keys = got.map((jobs) => jobs.map(keyOf));
      if (takers.length === 1) expect(keys).toEqual([due.slice(0, limit)]);
      expect(new Set(keys.flat()).size).toBe(keys.flat().length);
      for (const each of keys) expect(each).toEqual(due.filter((key) => each.includes(key)));
      for (const [index, jobs] of got.entries())
        for (const job of jobs) {
          const { lease } = takes[index] ?? { lease: '' };
          model.take(keyOf(job), lease);
          expect(job.deaths).toBe(model.jobs.get(keyOf(job))?.deaths);
          taken.push({ seq: job.seq, lease, due: job.due, key: keyOf(job) });
        }
    }

    async function settleOne(how: number): Promise<void> {
      const held = random.pick(taken);
      const worker = random.pick(workers);
      if (held === undefined || worker === undefined) return;
      const { key } = held;
      if (how === 0) {
        await worker.complete(held);
        model.settle(key, held, { state: 'done' });
      } else if (how === 1) {
        const [n, afterMs] = [random.upTo(1000), random.upTo(20_000)];
        await worker.again(held, JSON.stringify({ version: 1, key, data: { n } }), afterMs, 0);
        model.settle(key, held, { data: n, due: model.now + afterMs, deaths: 0 });
      } else {
        await worker.giveUp(held, 'gave up');
        model.settle(key, held, { state: 'dead' });
      }
    }

    async function changeOne(how: number): Promise<void> {
      const key = random.pick(KEYS) ?? '';
      const n = random.upTo(1000);
      if (how === 0) {
        await queue.change(key, { n });
        model.change(key, { data: n });
      } else if (how === 1) {
        await queue.defer([key], n * 10);
        model.change(key, { due: model.now + n * 10 });
      } else {
        await queue.settle(key);
        model.settle(key, undefined, { state: 'done' });
      }
    }

    async function putOne(): Promise<void> {
      const [key, n, afterMs] = [random.pick(KEYS) ?? '', random.upTo(1000), random.upTo(3) * 5000];
      if (random.upTo(2) === 0) {
        await queue.wake(key, { n }, afterMs);
        model.wake(key, n, afterMs);
      } else expect(await queue.put(key, { n }, afterMs)).toBe(model.put(key, n, afterMs));
    }

    /** Mostly a little time passes; sometimes longer than a lease; sometimes the clock is set back. */
    async function moveClock(): Promise<void> {
      const ms = [random.upTo(3000), random.upTo(3000), random.upTo(30_000), -random.upTo(60_000)];
      model.now += random.pick(ms) ?? 0;
      clock.now = model.now;
      await clock.apply();
    }

    async function step(): Promise<void> {
      const leases = taken.filter(() => random.upTo(2) === 0).map(({ lease }) => lease);
      switch (random.upTo(16)) {
        case 0:
        case 1:
        case 2:
          return takeTogether([
            workers[random.upTo(workers.length)] ?? createLeases(store, 'post', LEASE_MS),
          ]);
        case 3:
          return takeTogether(workers);
        case 4:
        case 5:
          return settleOne(random.upTo(3));
        case 6:
          return changeOne(random.upTo(3));
        case 7: {
          await random.pick(workers)?.renew(leases);
          return model.renew(leases);
        }
        case 8: {
          if (random.upTo(4) > 0) return;
          await random.pick(workers)?.giveBack(leases);
          return model.giveBack(leases);
        }
        case 9: {
          taken = taken.filter(() => random.upTo(10) > 0); // Some workers die.
          return;
        }
        case 10:
        case 11:
          return moveClock();
        default:
          return putOne();
      }
    }

    async function expectEqual(): Promise<void> {
      const rows = await store.query<Record<string, string | number>>(
        `select data, state, due, lease, deaths from ${store.dialect.job} order by seq`,
      );
      expect(rows.map(({ data, ...row }) => ({ ...JSON.parse(String(data)), ...row }))).toEqual(
        [...model.jobs.values()].map(({ key, data, state, due, lease, deaths }) => ({
          version: 1,
          key,
          data: { n: data },
          state,
          due,
          lease,
          deaths,
        })),
      );
    }

    for (let count = 0; count < STEPS; count++) {
      await step();
      if (count % 100 === 0) await expectEqual();
    }
    await expectEqual();
    expect(model.jobs.size).toBeGreaterThan(100);
    expect(stores.flatMap(({ errors }) => errors)).toEqual([]);
  });
});
