import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSharedRows } from '../../src/store/tables.ts';
import { ENGINES, type Engine, opened, openStore, type TestStore } from './engines.ts';

const stores: TestStore[] = [];
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close(1000)));
});

type Counted = { count: number };

describe.each(ENGINES)('a shared row in %s', { timeout: 60_000 }, (_, start) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine.close());

  async function open() {
    const store = await openStore(await engine.database());
    stores.push(store);
    await opened(store);
    return { store, rows: createSharedRows<Counted>(store, 'incident', 1) };
  }

  it('keeps each change of many who change it at once', async () => {
    const { rows } = await open();
    const add = () => rows.change('one', (before) => ({ count: (before?.count ?? 0) + 1 }));
    const counts = await Promise.all(Array.from({ length: 30 }, add));
    expect(counts.map(({ count }) => count).sort((one, other) => one - other)).toEqual(
      Array.from({ length: 30 }, (_each, index) => index + 1),
    );
    expect(await rows.find('one')).toEqual({ count: 30 });
    expect(await rows.find('two')).toBeUndefined();
  });

  it('is left as it is if nothing comes of a change', async () => {
    const { rows } = await open();
    expect(await rows.change('one', () => undefined)).toBeUndefined();
    await rows.change('one', () => ({ count: 1 }));
    await rows.change('one', () => undefined);
    expect(await rows.find('one')).toEqual({ count: 1 });
  });

  it('counts as not there once it can no longer be read, or 7 days after its last change', async () => {
    const { store, rows } = await open();
    const { query, dialect } = store;
    await rows.change('one', () => ({ count: 1 }));
    await query(`update ${dialect.kept} set data = '{"count":"many"}'`);
    expect(await rows.find('one')).toBeUndefined();
    expect(await rows.change('one', (before) => ({ count: before ? 9 : 2 }))).toEqual({ count: 2 });
    await query(`update ${dialect.kept} set until = until - 7 * 24 * 3600000`);
    expect(await rows.find('one')).toBeUndefined();
    expect(await rows.change('one', (before) => ({ count: before ? 9 : 3 }))).toEqual({ count: 3 });
    expect(await rows.find('one')).toEqual({ count: 3 });
  });
});
