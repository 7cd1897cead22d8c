import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Secret } from '../../src/domain/secret.ts';
import { createQueue } from '../../src/store/queues.ts';
import { opened, openStore, workerOf } from './engines.ts';
import { startPostgres } from './postgres.ts';
import { openStallingProxy } from './stalling-proxy.ts';

describe('a store on a server that hangs', { timeout: 60_000 }, () => {
  it('waits 2 s and no longer for an answer, and is ok again when it goes on', async () => {
    const server = await startPostgres();
    const proxy = await openStallingProxy(server.url);
    const store = await openStore({ url: new Secret(proxy.url) });
    const queue = createQueue(store, {
      name: 'post',
      schema: z.object({}),
      onError: () => {},
    });
    await opened(store);
    queue.start(workerOf(async () => ({ kind: 'done' })));
    proxy.stall();
    const begun = performance.now();
    expect(
      await Promise.all([
        ...[
          () => store.query('select 1'),
          () => queue.put('a', {}),
          () => queue.defer(['a'], 1000),
          () => queue.settle('a'),
          () => queue.dropDead(),
          // More than the pool has connections: these wait for one.
          ...Array.from({ length: 20 }, () => () => queue.count()),
        ].map((call) => call().catch((error: Error) => error.name)),
      ]),
    ).toEqual(Array.from({ length: 25 }, () => 'StoreClosedError'));
    expect(store.state()).toBe('does not answer');
    expect(performance.now() - begun).toBeLessThan(4000);
    proxy.goOn();
    await vi.waitFor(() => expect(store.state()).toBe('ok'), 20_000);
    expect(await queue.put('b', {})).toBe('put');
    proxy.stall();
    const closing = performance.now();
    await store.close(1000);
    expect(performance.now() - closing).toBeLessThan(4000);
    await proxy.close();
    await server.close();
  });

  it('gives up connections that hang for ever, and opens others', async () => {
    const server = await startPostgres();
    const proxy = await openStallingProxy(server.url);
    const store = await openStore({ url: new Secret(proxy.url) });
    await opened(store);
    proxy.stall();
    await Promise.all(Array.from({ length: 20 }, () => store.query('select 1').catch(() => {})));
    proxy.passNewOnes();
    await vi.waitFor(() => expect(store.state()).toBe('ok'), 20_000);
    await store.close(1000);
    await proxy.close();
    await server.close();
  });
});
