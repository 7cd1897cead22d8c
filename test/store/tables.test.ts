import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLock, createRows, createThreads } from '../../src/store/tables.ts';
import { ENGINES, opened, openStore } from './engines.ts';

const KEYS = ["o'neill", '19:ü@thread.tacv2', 'ü \0 \ud800 $1', 'x'.repeat(2000), ''];

describe.each(ENGINES)('in %s', (_, create) => {
  const open = async () => opened(await openStore(await create()));

  it('a row without data is added once for each key until it is removed', async () => {
    const { find, add, remove } = createRows(await open(), 'autoreply');
    for (const key of KEYS) {
      expect(await find(key)).toBeUndefined();
      const adds = await Promise.all(Array.from({ length: 20 }, () => add(key)));
      expect(adds.filter(Boolean)).toHaveLength(1);
      expect([await find(key), await find('another')]).toEqual([null, undefined]);
    }
    expect([await remove(''), await remove('')]).toEqual([true, false]);
    expect(await Promise.all(KEYS.map(find))).toEqual([null, null, null, null, undefined]);
    expect([await add(''), await add('')]).toEqual([true, false]);
  });

  it('threads are kept by their names', async () => {
    const store = await open();
    const { save, find, names, remove } = createThreads(store, z.object({ room: z.string() }));
    expect(await names()).toEqual([]);
    await save('night', { room: 'first' });
    await save('day', { room: 'ü"\\ \0' });
    await save('night', { room: 'second' });
    expect(await names()).toEqual(['day', 'night']);
    expect(await find('NIGHT')).toEqual({ name: 'night', place: { room: 'second' } });
    expect(await find('day')).toEqual({ name: 'day', place: { room: 'ü"\\ \0' } });
    await store.query(`update kept set data = '[]' where key = 'day'`);
    await remove('night');
    expect([await find('night'), await find('day')]).toEqual([undefined, undefined]);
  });

  it('rows are kept until their time', async () => {
    const rows = createRows(await open(), 'sealed credential');
    for (const each of ['first', 'second']) await rows.save('alex', each, 60_000);
    await rows.save('old', 'first', -1);
    const found = await Promise.all(['alex', 'old', 'none'].map(rows.find));
    expect(found).toEqual(['second', undefined, undefined]);
    await rows.remove('alex');
    expect(await rows.find('alex')).toBeUndefined();
  });

  it('a lock runs one task at a time, also after a failure or a death', async () => {
    const store = await open();
    await createRows(store, 'lock').add('one', 'a dead process', 100);
    const [here, there] = [createLock(store, 'one'), createLock(store, 'one')];
    let running = 0;
    const task = async () => {
      expect(++running).toBe(1);
      await store.query('select 1');
      running--;
    };
    await expect(here(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
    await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? here : there)(task)));
  });
});
