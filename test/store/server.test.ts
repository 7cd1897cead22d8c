import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { JobOutcome } from '../../src/domain/jobs.ts';
import { Secret } from '../../src/domain/secret.ts';
import { isAway } from '../../src/store/faults.ts';
import { createQueue } from '../../src/store/queues.ts';
import { opened, openStore, type TestStore } from './engines.ts';
import { fillUp, type PostgresServer, runIn, startPostgres } from './postgres.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

const stores: TestStore[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(stores.splice(0).map((store) => store.close(1000)));
});

let databases = 0;
const newDatabase = () => server.createDatabase(`server_${++databases}`);

/** A process with a queue on a database. */
async function start(url: string, work?: (key: string) => Promise<JobOutcome<{ n: number }>>) {
  const store = await openStore(
    { url: new Secret(url) },
    {
      onOpen: async () =>
        work ? [queue.start({ work: (_, key) => work(key), onDead: async () => {} })] : [],
    },
  );
  stores.push(store);
  const queue = createQueue(store, {
    name: 'post',
    schema: z.object({ n: z.number() }),
    onError: (error) => isAway(error) || store.errors.push(error),
  });
  await opened(store);
  return { store, queue };
}

/** A worker that notes when it gets which job. */
function noting() {
  const seen: Array<{ key: string; at: number }> = [];
  const work = async (key: string): Promise<JobOutcome<{ n: number }>> => {
    seen.push({ key, at: performance.now() });
    return { kind: 'done' };
  };
  return { seen, work };
}

describe('a new job', () => {
  it('wakes another process at once', async () => {
    const url = await newDatabase();
    const { seen, work } = noting();
    const { queue } = await start(url);
    await start(url, work);
    const waits: number[] = [];
    for (let n = 0; n < 5; n++) {
      await delay(130); // At any time between two looks.
      const begun = performance.now();
      await queue.put(`${n}`, { n });
      await vi.waitFor(() => expect(seen).toHaveLength(n + 1), { interval: 2 });
      waits.push((seen[n]?.at ?? 0) - begun);
    }
    expect(Math.max(...waits)).toBeLessThan(300);
  });

  it('is found within a second or so by a process that gets no notices', async () => {
    const url = await newDatabase();
    const { seen, work } = noting();
    const { queue } = await start(url);
    await start(url, work);
    await runIn(url, 'drop trigger tell on nac_lookup_bot.job');
    const begun = performance.now();
    await queue.put('k', { n: 1 });
    await vi.waitFor(() => expect(seen).toHaveLength(1), 5000);
    expect((seen[0]?.at ?? 0) - begun).toBeLessThan(2000);
  });

  it('wakes again after the connection that listens was cut', async () => {
    const url = await newDatabase();
    const { seen, work } = noting();
    const { queue, store } = await start(url);
    await start(url, work);
    const listeners = () =>
      store.query(
        "select pid from pg_stat_activity where query like 'listen%' and datname = current_database()",
      );
    await vi.waitFor(async () => expect(await listeners()).toHaveLength(2), 5000);
    await store.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
    );
    await vi.waitFor(async () => expect(await listeners()).toHaveLength(2), 10_000);
    await queue.put('k', { n: 1 });
    await vi.waitFor(() => expect(seen).toHaveLength(1), 5000);
    expect(stores.flatMap(({ errors, outages }) => [...errors, ...outages])).toEqual([]);
  });
});

describe('processes whose clocks are far apart', () => {
  it('do each job once, when it is due', async () => {
    const url = await newDatabase();
    const done: string[] = [];
    const work = async (key: string): Promise<JobOutcome<{ n: number }>> => {
      await delay(2500); // Slow work, with a lease that others must respect.
      done.push(key);
      return { kind: 'done' };
    };
    const real = Date.now;
    const { queue } = await start(url, work);
    await start(url, work);
    const offsets = [25_000, -60_000];
    let turn = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => real() + (offsets[turn++ % 2] ?? 0));
    const keys = Array.from({ length: 10 }, (_, n) => `job ${n}`);
    for (const key of keys) await queue.put(key, { n: 1 }, 500);
    await vi.waitFor(() => expect(done).toHaveLength(10), 15_000);
    await delay(3000); // A second worker would have ended its work by then.
    expect(done.sort()).toEqual(keys);
  });
});

describe('a server that takes no changes', { timeout: 60_000 }, () => {
  it('is away with its reason, is told once each way, and is back by itself', async () => {
    const url = await newDatabase();
    const { store, queue } = await start(url, noting().work);
    const name = new URL(url).pathname.slice(1);
    const set = (value: string) =>
      runIn(
        server.url,
        `alter database ${name} set default_transaction_read_only = ${value};
         select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      );
    await set('on');
    await vi.waitFor(() => expect(store.state()).toBe('takes no changes'), 10_000); // Nobody has asked.
    await expect(queue.put('k', { n: 1 })).rejects.toThrow('the database is away');
    await delay(3000);
    expect(store.state()).toBe('takes no changes');
    await set('off');
    await vi.waitFor(() => expect(store.state()).toBe('ok'), 10_000);
    expect(await queue.put('k', { n: 1 })).toBe('put');
    expect(store.outages.at(-1)).toBe('back');
    expect(store.outages.filter((each) => each === 'back')).toHaveLength(1);
    expect(store.errors).toEqual([]);
  });
});

describe('a server whose disk is full', () => {
  it('is away with its reason, is told once each way, and is back by itself', async () => {
    const url = await newDatabase();
    const { store, queue } = await start(url);
    const makeRoom = await fillUp(url);
    await expect(queue.put('k', { n: 1 })).rejects.toThrow('the database is away');
    expect(store.state()).toBe('is full');
    await delay(3000);
    expect(store.state()).toBe('is full');
    await makeRoom();
    await vi.waitFor(() => expect(store.state()).toBe('ok'), 10_000);
    expect(await queue.put('k', { n: 1 })).toBe('put');
    expect(store.outages).toEqual([expect.stringContaining('no space left'), 'back']);
  });
});

describe('a database of release 0.1.0', () => {
  it('is refused, and nothing is touched', async () => {
    const url = await newDatabase();
    await runIn(
      url,
      `create schema bot; create table bot.migration (step int); create table bot.job_key (id uuid);
       create schema pgboss; create table pgboss.job (id uuid)`,
    );
    const store = await openStore({ url: new Secret(url) });
    stores.push(store);
    store.open();
    await vi.waitFor(() => expect(store.outages).toEqual(['server of 0.1.0']), 10_000);
    await runIn(url, 'create schema nac_lookup_bot'); // There was none.
  });

  it("is not seen in another program's schema of that name", async () => {
    const url = await newDatabase();
    await runIn(url, 'create schema bot; create table bot.migration (step int)');
    await start(url);
  });
});
