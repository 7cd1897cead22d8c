import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { parseJson, storable } from '../domain/text.ts';
import type { Queryable, Value } from './dialect.ts';

export type Rows = ReturnType<typeof createRows>;

/** Rows of one kind that outlive a process, by key. Postgres takes no NUL in a key. */
export function createRows({ query }: Queryable, kind: string) {
  const here = 'kind = $1 and key = $2';
  const run = <Row>(sql: string, key: string, ...others: Value[]) =>
    query<Row>(sql, [kind, storable(key), ...others]);
  const upsert = `insert into kept as known (kind, key, data, at, until)
    values ($1, $2, $3, now_ms(), now_ms() + cast($4 as bigint)) on conflict (kind, key)
    do update set data = excluded.data, at = excluded.at, until = excluded.until`;
  return {
    async find(key: string): Promise<string | null | undefined> {
      const sql = `select data from kept where ${here} and (until is null or until > now_ms())`;
      return (await run<{ data: string | null }>(sql, key))[0]?.data;
    },
    /** @param forMs how long the row is kept; null: until it is removed */
    async save(key: string, data: string, forMs: number | null = null): Promise<void> {
      await run(upsert, key, data, forMs);
    },
    /** Returns false if there is a row already. */
    async add(key: string, data: string | null = null, forMs: number | null = null): Promise<boolean> {
      const sql = `${upsert} where known.until <= now_ms() returning key`;
      return (await run(sql, key, data, forMs)).length > 0;
    },
    /** Returns false if there is no row, or no longer with the data `from`, if they are given. */
    async remove(key: string, from: string | null = null): Promise<boolean> {
      const sql = `delete from kept where ${here} and (cast($3 as text) is null or data = $3) returning key`;
      return (await run(sql, key, from)).length > 0;
    },
    async keys(): Promise<string[]> {
      const rows = await query<{ key: string }>(`select key from kept where kind = $1`, [kind]);
      return rows.map(({ key }) => key).sort();
    },
  };
}

const LOCK_MS = 5000; // A lock outlives its process for so long.

/** Returns a function that runs tasks of all processes one after another. */
export function createLock(store: Queryable, name: string) {
  const locks = createRows(store, 'lock');
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    const holder = randomUUID();
    while (!(await locks.add(name, holder, LOCK_MS))) await delay(10);
    try {
      return await task();
    } finally {
      await locks.remove(name, holder);
    }
  };
}

export type Threads<Place> = ReturnType<typeof createThreads<Place>>;

/** The places of alerts by name, whatever its case. `Place`: plain data by which the front end finds the conversation again. */
export function createThreads<Place>(store: Queryable, schema: z.ZodType<Place>) {
  const rows = createRows(store, 'thread');
  async function writtenAs(name: string): Promise<string> {
    const names = await rows.keys();
    return names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
  }
  return {
    save: async (name: string, place: Place) => rows.save(await writtenAs(name), JSON.stringify(place)),
    /** Finds a place, and its name as it was first written. A row that no longer fits the schema counts as not there. */
    async find(asked: string): Promise<{ name: string; place: Place } | undefined> {
      const row = await rows.find(asked);
      const name = row === undefined ? await writtenAs(asked) : asked;
      const { data } = schema.safeParse(parseJson(row ?? (await rows.find(name)) ?? ''));
      return data === undefined ? undefined : { name, place: data };
    },
    names: rows.keys,
    remove: async (name: string) => rows.remove(await writtenAs(name)),
  };
}
