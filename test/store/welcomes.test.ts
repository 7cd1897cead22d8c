import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import type { DatabaseSettings } from '../../src/store/connection.ts';
import { createWelcomes } from '../../src/store/tables.ts';
import { ENGINES, type Engine, opened, openStore, type TestStore } from './engines.ts';
import { startPostgres } from './postgres.ts';

const stores: TestStore[] = [];
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close(1000)));
});

async function open(database: DatabaseSettings): Promise<TestStore> {
  const store = await openStore(database);
  stores.push(store);
  await opened(store);
  return store;
}

describe.each(ENGINES)('welcomes in %s', (_, start) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine.close());

  it('are claimed once for each conversation, until they are forgotten', async () => {
    const { claim, forget } = createWelcomes(await open(await engine.database()));
    expect([await claim('one'), await claim('one'), await claim('two')]).toEqual([true, false, true]);
    await forget('one');
    expect([await claim('one'), await claim('one'), await claim('two')]).toEqual([true, false, false]);
  });

  it('are claimed once by many who come at the same time', async () => {
    const { claim } = createWelcomes(await open(await engine.database()));
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim('one')));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('outlive a restart', async () => {
    const database = await engine.database();
    await createWelcomes(await open(database)).claim('one');
    await stores.splice(0)[0]?.close(1000);
    const { claim } = createWelcomes(await open(database));
    expect([await claim('one'), await claim('two')]).toEqual([false, true]);
  });

  it('take any id, and forget an unknown id without an error', async () => {
    const { claim, forget } = createWelcomes(await open(await engine.database()));
    for (const id of ["o'neill", '19:ü@thread.tacv2', 'x'.repeat(500), '']) {
      await forget(id);
      expect([await claim(id), await claim(id)]).toEqual([true, false]);
    }
  });
});

describe('welcomes of several processes', () => {
  it('are claimed by one of them', async () => {
    const server = await startPostgres();
    const database = { url: new Secret(server.url) };
    const [one, other] = [createWelcomes(await open(database)), createWelcomes(await open(database))];
    const claims = await Promise.all([one, other, one, other].map(({ claim }) => claim('one')));
    expect(claims.filter(Boolean)).toHaveLength(1);
    await other.forget('one');
    expect(await one.claim('one')).toBe(true);
    await Promise.all(stores.splice(0).map((store) => store.close(1000)));
    await server.close();
  });
});
