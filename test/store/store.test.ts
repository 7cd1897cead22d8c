import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Secret } from '../../src/domain/secret.ts';
import { StoreClosedError } from '../../src/store/faults.ts';
import { createRows } from '../../src/store/tables.ts';
import { opened, openQueue, openStore, type TestStore } from './engines.ts';
import { openFaultyProxy } from './faulty-proxy.ts';
import { changePassword, createUser, fillUp, makeReadOnly, newDatabase, revokeUsage } from './postgres.ts';

function start(url: string) {
  const schema = z.object({ n: z.number() });
  return openQueue({ url: new Secret(url) }, { schema, work: async () => ({ kind: 'done' }) });
}

const isState = (store: TestStore, state: string) =>
  vi.waitFor(() => expect(store.state()).toBe(state), { timeout: 20_000, interval: 20 });

it('several processes that start at once make the tables once', async () => {
  const database = { url: new Secret(await newDatabase()) };
  const all = await Promise.all(Array.from({ length: 4 }, () => openStore(database)));
  await Promise.all(all.map(opened));
  expect(await all[0]?.query('select version from nac_lookup_bot.meta')).toHaveLength(1);
  expect(all.flatMap(({ errors }) => errors)).toEqual([]);
});

type Fault = (database: string, url: string) => Promise<() => Promise<unknown>>;

describe('a server that', { timeout: 60_000 }, () => {
  it.each<[what: string, state: string, begin: Fault]>([
    ['has a full disk', 'is full', fillUp],
    ['takes no changes', 'takes no changes', makeReadOnly],
    ['takes its user a right', 'takes no changes', revokeUsage],
    ['refuses its password', 'does not answer', changePassword],
  ])('%s is away with its reason, reported once each way, and back by itself', async (_, state, begin) => {
    const database = await newDatabase();
    const url = await createUser(database, 'member', 'connect, create'); // A bot needs no other rights.
    const { store, queue } = await start(url);
    const end = await begin(database, url);
    await vi.waitFor(() => expect(queue.put('k', { n: 1 })).rejects.toThrow('the database is away'));
    await isState(store, state);
    await delay(2000);
    expect(store.state()).toBe(state);
    await end();
    await isState(store, 'ok');
    expect(await queue.put('k', { n: 1 })).toBe('put');
    expect(store.outages).toEqual(['ok', expect.stringMatching(/^lost: ./), 'ok']);
    expect(store.errors).toEqual([]);
  });

  it('is away at the start is opened later, and reported when it goes', async () => {
    const proxy = await openFaultyProxy(await newDatabase());
    await proxy.goAway();
    const store = await openStore({ url: new Secret(proxy.url) });
    store.open();
    await isState(store, 'cannot be opened');
    await expect(store.query('select 1')).rejects.toThrow(StoreClosedError);
    await proxy.comeBack();
    await isState(store, 'ok');
    await createRows(store, 'autoreply').add('kept');
    await proxy.goAway();
    await isState(store, 'does not answer'); // Nobody has asked.
    await proxy.comeBack();
    await isState(store, 'ok');
    expect(await createRows(store, 'autoreply').find('kept')).toBeNull();
    const refused = expect.stringContaining('lost: connect ECONNREFUSED');
    expect(store.outages).toEqual([refused, 'ok', expect.stringMatching(/^lost: ./), 'ok']);
    expect(store.errors).toEqual([]);
  });

  it('hangs is waited for 2 s and no longer, and is ok again when it goes on', async () => {
    const proxy = await openFaultyProxy(await newDatabase());
    const { store, queue } = await start(proxy.url);
    proxy.stall();
    const begun = performance.now();
    const calls = [
      store.query('select 1'),
      queue.put('a', { n: 1 }),
      queue.change('a', { n: 2 }),
      queue.settle('a'),
      queue.list('dead'),
      ...Array.from({ length: 20 }, () => queue.count()), // More than the pool has connections.
    ];
    const ends = await Promise.allSettled(calls);
    expect(ends).toEqual(calls.map(() => ({ status: 'rejected', reason: expect.any(StoreClosedError) })));
    expect(store.state()).toBe('does not answer');
    expect(performance.now() - begun).toBeLessThan(4000);
    proxy.goOn();
    await isState(store, 'ok');
    expect(await queue.put('b', { n: 1 })).toBe('put');
    proxy.stall();
    const closing = performance.now();
    await store.close(1000);
    expect(performance.now() - closing).toBeLessThan(4000);
  });

  it('leaves connections hanging for ever gets others', async () => {
    const proxy = await openFaultyProxy(await newDatabase());
    const { store } = await start(proxy.url);
    proxy.stall();
    await Promise.allSettled(Array.from({ length: 20 }, () => store.query('select 1')));
    proxy.goOn({ onlyNew: true });
    await isState(store, 'ok');
  });
});
