import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { TIMING } from '../../src/domain/timing.ts';
import type { DatabaseSettings } from '../../src/store/store.ts';
import { createWatches, type WatchWork } from '../../src/store/watches.ts';
import { ENGINES, opened, openStore } from './engines.ts';
import { newDatabase } from './postgres.ts';

type Data = { dueAt: number; until: number; said: string };

const DEVICES = ['00:1B:54:00:00:01', '00:1B:54:00:00:02', '00:1B:54:00:00:03'] as const;
const [ONE, TWO] = DEVICES;
const HOUR = 3_600_000;
const SOON = { timeout: 20_000, interval: 10 };

type TestWatches = ReturnType<typeof createWatches<Data>>;
type Making = (watches: TestWatches) => WatchWork<Data>;

/** One process on a database, which works on watches if there is work. */
async function start(database: DatabaseSettings, work?: Making, leaseMs: number = TIMING.leaseMs) {
  const store = await openStore(database, { start: () => (work ? [watches.start(work(watches))] : []) });
  const onError = (error: unknown) => void store.errors.push(error);
  const watches: TestWatches = createWatches<Data>(store, { timing: { leaseMs }, onError });
  await opened(store);
  return { store, watches };
}

/** Work that notes the keys of each device, and removes its watches. */
const noting =
  (seen: string[][]): Making =>
  (watches) =>
  async (rows) => {
    seen.push(rows.map(({ key }) => key).toSorted());
    for (const { key } of rows) await watches.change(key, () => undefined);
    return true;
  };

/** Puts a watch that is due after so long. */
const put = ({ watches }: Awaited<ReturnType<typeof start>>, key: string, afterMs = 0) =>
  watches.change(key, (_, now) => ({ dueAt: now + afterMs, until: now + HOUR, said: 'new' }));

describe.each(ENGINES)('watches in %s', (_, create) => {
  it('are made, changed and removed, and read with the clock of the store', async () => {
    const process = await start(await create());
    const { watches } = process;
    await put(process, `${ONE} a`);
    await watches.change(`${ONE} a`, (before) => before && { ...before, said: 'changed' });
    const [row] = await watches.all();
    expect(row).toMatchObject({ key: `${ONE} a`, data: { said: 'changed' } });
    expect(row?.now).toBeGreaterThanOrEqual(row?.data.dueAt ?? 0);
    await watches.change(`${ONE} a`, () => undefined);
    expect(await watches.all()).toEqual([]);
  });

  it('lose no change of two that come at once', async () => {
    const database = await create();
    const process = await start(database);
    await put(process, `${ONE} a`);
    const add = () =>
      process.watches.change(`${ONE} a`, (before) => before && { ...before, said: `${before.said}+` });
    await Promise.all(Array.from({ length: 20 }, add));
    const [row] = await process.watches.all();
    expect(row?.data.said).toBe(`new${'+'.repeat(20)}`);
  });

  it('are worked on device by device, the longest due first', async () => {
    const database = await create();
    const seen: string[][] = [];
    const idle = await start(database);
    await put(idle, `${TWO} a`, -1000);
    await put(idle, `${ONE} a`, -2000);
    await put(idle, `${ONE} b`, HOUR);
    await put(idle, `${DEVICES[2]} a`, HOUR);
    await idle.store.close(0);
    const process = await start(database, noting(seen));
    await vi.waitFor(() => expect(seen).toHaveLength(2), SOON);
    expect(seen).toEqual([[`${ONE} a`, `${ONE} b`], [`${TWO} a`]]);
    const left = async () => (await process.watches.all()).map(({ key }) => key);
    await vi.waitFor(async () => expect(await left()).toEqual([`${DEVICES[2]} a`]), SOON);
    expect(process.store.errors).toEqual([]);
  });

  it('are counted, with the age of the oldest that is due', async () => {
    const process = await start(await create());
    expect(await process.watches.count()).toEqual({ count: 0, overdueMs: 0 });
    await put(process, `${ONE} a`, HOUR);
    expect(await process.watches.count()).toEqual({ count: 1, overdueMs: 0 });
    await put(process, `${TWO} a`, -60_000);
    const { count, overdueMs } = await process.watches.count();
    expect(count).toBe(2);
    expect(overdueMs).toBeGreaterThanOrEqual(60_000);
    expect(overdueMs).toBeLessThan(90_000);
  });

  it('rest for a minute after a bug, and leave the others alone', async () => {
    const database = await create();
    const seen: string[] = [];
    const process = await start(database, () => async ([row]) => {
      seen.push(row?.key ?? '');
      if (row?.key === `${ONE} a`) throw new Error('a bug');
      return false;
    });
    await put(process, `${ONE} a`, -2000);
    await put(process, `${TWO} a`, -1000);
    await vi.waitFor(() => expect(seen.slice(0, 3)).toEqual([`${ONE} a`, `${TWO} a`, `${TWO} a`]), SOON);
    expect(process.store.errors).toHaveLength(1);
  });

  it('wait if nothing can be done now, and stay due', async () => {
    let calls = 0;
    const process = await start(await create(), () => async () => {
      calls++;
      return false;
    });
    await put(process, `${ONE} a`, -5000);
    await put(process, `${TWO} a`, -4000);
    await vi.waitFor(() => expect(calls).toBe(2), SOON);
    expect((await process.watches.count()).overdueMs).toBeGreaterThanOrEqual(5000);
  });
});

describe('two processes on one server', () => {
  it('never work on one device together, and one outlives the other', async () => {
    const database = { url: new Secret(await newDatabase()) };
    const held: string[] = [];
    const hanging: Making = () => (rows) => {
      held.push(...rows.map(({ key }) => key));
      return new Promise(() => {});
    };
    const first = await start(database, hanging, 1000);
    await put(first, `${ONE} a`, -1000);
    await vi.waitFor(() => expect(held).toEqual([`${ONE} a`]), SOON);
    const seen: string[][] = [];
    const second = await start(database, noting(seen), 1000);
    await put(second, `${TWO} a`, -1000);
    await vi.waitFor(() => expect(seen).toEqual([[`${TWO} a`]]), SOON);
    await new Promise((resolve) => setTimeout(resolve, 2500)); // The first renews its lease.
    expect(seen).toHaveLength(1);
    await first.store.close(0);
    await vi.waitFor(() => expect(seen).toEqual([[`${TWO} a`], [`${ONE} a`]]), SOON);
  });
});
