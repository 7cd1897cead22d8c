import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseSettings } from '../../src/store/connection.ts';
import type { Query } from '../../src/store/dialect.ts';
import { createIncidents } from '../../src/store/incidents.ts';
import { Secret } from '../../src/text/secret.ts';
import { ENGINES, type Engine, opened, openStore, type TestStore } from './engines.ts';
import { startPostgres } from './postgres.ts';

type Told = { words: string };

const stores: TestStore[] = [];
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close(1000)));
});

async function open(database: DatabaseSettings) {
  const store = await openStore(database);
  stores.push(store);
  await opened(store);
  return { store, ...incidentsIn(store) };
}

/** The incidents of one process. */
function incidentsIn({ query, dialect, errors }: Pick<TestStore, 'query' | 'dialect' | 'errors'>) {
  const parse = (data: unknown) =>
    typeof data === 'object' && data !== null && 'words' in data ? { words: String(data.words) } : undefined;
  const { hold } = createIncidents<Told>({ query, dialect }, parse, (error) => errors.push(error));
  return {
    hold,
    tell: (id: string, words: string) =>
      hold(id, async ({ save }) => {
        await save({ words });
        return {};
      }),
    read: async (id: string) => (await hold(id, async ({ told }) => ({ told })))?.told,
  };
}

/** Work that goes on until it is let end. */
function longWork() {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
  return {
    begun: begun.promise,
    work() {
      begun.resolve();
      return ended.promise;
    },
    end: () => ended.resolve({}),
  };
}

describe.each(ENGINES)('incidents in %s', (_, start) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine.close());

  it('are remembered over a restart, each by its id', async () => {
    const database = await engine.database();
    const first = await open(database);
    expect(await first.read('one')).toBeUndefined();
    await first.tell('one', 'first');
    await first.tell('one', 'ü \0 \ud800');
    await stores.splice(0)[0]?.close(1000);
    const second = await open(database);
    expect([await second.read('one'), await second.read('two')]).toEqual([
      { words: 'ü \0 \ud800' },
      undefined,
    ]);
  });

  it('are held by one who works on them, until that work ends, well or not', async () => {
    const { hold, read, tell } = await open(await engine.database());
    await tell('one', 'told');
    const { work, begun, end } = longWork();
    const holding = hold('one', work);
    await begun;
    expect(await hold('one', async () => ({}))).toBeUndefined();
    expect(await hold('two', async () => ({}))).toEqual({});
    end();
    await holding;
    expect(await read('one')).toEqual({ words: 'told' });
    await expect(hold('one', () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
    expect(await read('one')).toEqual({ words: 'told' });
  });

  it('are held by one of many who come at the same time', async () => {
    const { hold } = await open(await engine.database());
    const { work, end } = longWork();
    const refused: unknown[] = [];
    const all = Array.from({ length: 10 }, async () => {
      if ((await hold('one', work)) === undefined && refused.push('one') === 9) end();
    });
    await Promise.all(all);
    expect(refused).toHaveLength(9);
  });

  it('of a dead process are free when its time is over, and it changes nothing afterwards', async () => {
    const { store, hold, read, tell } = await open(await engine.database());
    const { work, begun, end } = longWork();
    const late = hold('one', async ({ save }) => {
      await work();
      await save({ words: 'late' });
      return {};
    });
    await begun;
    expect(await tell('one', 'early')).toBeUndefined();
    const { kept, now } = store.dialect;
    const [row] = await store.query<{ ms: number }>(`select held_until - ${now} as ms from ${kept}`);
    expect(row?.ms).toBeGreaterThan(5000);
    expect(row?.ms).toBeLessThanOrEqual(20_000);
    await store.query(`update ${kept} set held_until = ${now}`); // As after that time.
    expect(await tell('one', 'taken over')).toEqual({});
    end();
    await late;
    expect(await read('one')).toEqual({ words: 'taken over' });
  });

  it('are forgotten after 7 days', async () => {
    const { store, tell, read } = await open(await engine.database());
    for (const id of ['young', 'old']) await tell(id, 'told');
    const age = (id: string, hours: number) =>
      store.query(`update ${store.dialect.kept} set until = until - ${hours * 3_600_000} where key = $1`, [
        id,
      ]);
    await age('young', 167);
    await age('old', 169);
    expect([await read('young'), await read('old')]).toEqual([{ words: 'told' }, undefined]);
  });

  it('whose row another release wrote in another form are not remembered', async () => {
    const { store, tell, read } = await open(await engine.database());
    await tell('one', 'told');
    await store.query(`update ${store.dialect.kept} set data = '[]'`);
    expect(await read('one')).toBeUndefined();
  });

  it('are saved once the database takes them', async () => {
    const { store, read } = await open(await engine.database());
    let failures = 1;
    const query: Query = (sql, values) =>
      /set data/.test(sql) && failures-- > 0 ? Promise.reject(new Error('away')) : store.query(sql, values);
    expect(await incidentsIn({ ...store, query }).tell('one', 'told')).toEqual({});
    expect(await read('one')).toEqual({ words: 'told' });
    expect(store.errors).toEqual([new Error('away')]);
  });
});

describe('incidents of several processes', () => {
  it('are held by one of them, and told to all', async () => {
    const server = await startPostgres();
    const database = { url: new Secret(server.url) };
    const [one, other] = [await open(database), await open(database)];
    const { work, begun, end } = longWork();
    const holding = one.hold('one', work);
    await begun;
    expect(await other.tell('one', 'early')).toBeUndefined();
    end();
    await holding;
    await other.tell('one', 'told');
    expect(await one.read('one')).toEqual({ words: 'told' });
    await Promise.all(stores.splice(0).map(({ close }) => close(1000)));
    await server.close();
  });
});
