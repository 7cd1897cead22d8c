import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../domain/text.ts';
import { settlesWithin, type Timing } from '../domain/timing.ts';
import type { Queryable } from './dialect.ts';
import { createRows } from './tables.ts';
import type { Workers } from './workers.ts';

/** When a watch is due, and when it ends (milliseconds by the store's clock). */
type Times = { dueAt: number; until: number };
/** A watch as it was read at `now`, by the store's clock. `isHeld`: a process works on it. */
export type Row<Data> = { key: string; data: Data; now: number; isHeld: unknown };
/** Works on all watches of one device. False: nothing can be done now, so nothing more is taken for a second. */
export type WatchWork<Data> = (rows: ReadonlyArray<Row<Data>>) => Promise<boolean>;
type Change<Data> = (before: Data | undefined, now: number) => Data | undefined;
type WatchesParts = { timing: Pick<Timing, 'leaseMs'>; onError(error: unknown): void };

/** Another form of the data gets another kind. */
const KIND = 'watch';
/** How long a row outlives its watch, so that a change can still be told. */
const LEFT_MS = 24 * 3_600_000;
/** How long watches rest after a bug of ours. */
const REST_MS = 60_000;

export type Watches<Data extends Times> = ReturnType<typeof createWatches<Data>>;

/** A row for each watched device in each thread. Its key begins with the device's MAC address. */
export function createWatches<Data extends Times>(store: Queryable, parts: WatchesParts) {
  const { kept, now } = store.dialect;
  const { add, replace, remove } = createRows(store, KIND);
  const one = `select data, ${now} as now from (select 1) as one left join ${kept} on kind = '${KIND}' and key = $1`;
  const all = () => read<Data>(store, `select ${columns(now)} from ${kept} where kind = '${KIND}'`);

  /** Makes, changes or removes a watch. `change` only computes, for it is called again if somebody was faster. */
  async function change(key: string, change: Change<Data>): Promise<void> {
    while (true) {
      const [{ data: from, now: at } = { data: null, now: 0 }] = await store.query<Row<string | null>>(one, [
        key,
      ]);
      const before = parseJson(from ?? '') as Data | undefined;
      const after = change(before, at);
      if (after === before || (await write(key, from, after, at))) return;
      await delay(Math.random() * 20);
    }
  }

  /** False if the row is no longer as it was. */
  function write(key: string, from: string | null, after: Data | undefined, at: number): Promise<boolean> {
    if (after === undefined) return remove(key, from);
    const forMs = after.until - at + LEFT_MS;
    const to = JSON.stringify(after);
    return from === null ? add(key, to, forMs) : replace(key, from, to, forMs);
  }

  let last: Promise<unknown> = Promise.resolve();
  return {
    all,
    change,
    /** Runs tasks of this process one after another. */
    alone<Result>(task: () => Promise<Result>): Promise<Result> {
      const result = last.then(task);
      last = result.catch(() => {}); // Its caller sees to it.
      return result;
    },
    /** How many there are, and for how long the oldest has been due (milliseconds). */
    async count() {
      const rows = await all();
      return { count: rows.length, overdueMs: Math.max(0, ...rows.map((row) => row.now - row.data.dueAt)) };
    },
    start: (work: WatchWork<Data>) => startWorking(store, { all, change }, work, parts),
  };
}

const columns = (now: string) => `key, data, held_until > ${now} as "isHeld", ${now} as now`;

async function read<Data>({ query }: Queryable, sql: string, ...values: string[]): Promise<Array<Row<Data>>> {
  const rows = await query<Row<string>>(sql, values);
  return rows.map((row) => ({ ...row, data: parseJson(row.data) as Data }));
}

/** Works on watches as they fall due, the longest due first. They are this process's until the work on them has ended. */
function startWorking<Data extends Times>(
  store: Queryable,
  { all, change }: Pick<Watches<Data>, 'all' | 'change'>,
  work: WatchWork<Data>,
  { timing: { leaseMs }, onError }: WatchesParts,
): Workers {
  const { kept, now, texts, skipLocked } = store.dialect;
  let isStopped = false;
  let looking: Promise<void> | undefined;

  /** Takes the watches of one device, unless another process has them. */
  async function take(lease: string): Promise<Array<Row<Data>>> {
    const rows = (await all()).filter(({ isHeld }) => !isHeld);
    const due = rows.filter((row) => row.data.dueAt <= row.now);
    const [first] = due.toSorted((one, other) => one.data.dueAt - other.data.dueAt);
    if (first === undefined) return [];
    const keys = rows.map(({ key }) => key).filter((key) => key.slice(0, 17) === first.key.slice(0, 17));
    const free = `select key from ${kept} where kind = '${KIND}' and key in (${texts('$2')})
      and (held_until is null or held_until <= ${now}) ${skipLocked}`;
    const sql = `update ${kept} set holder = $1, held_until = ${now} + ${leaseMs}
      where kind = '${KIND}' and key in (${free}) returning ${columns(now)}`;
    return read(store, sql, lease, JSON.stringify(keys));
  }

  async function hold(lease: string, forMs: number): Promise<void> {
    const sql = `update ${kept} set held_until = ${now} + ${forMs} where kind = '${KIND}' and holder = $1`;
    await store.query(sql, [lease]);
  }

  async function look(): Promise<void> {
    let mayBeMore = true;
    while (mayBeMore && !isStopped) {
      const lease = randomUUID();
      const taken = await take(lease);
      if (taken.length === 0) return;
      const renewing = setInterval(() => hold(lease, leaseMs).catch(onError), leaseMs / 3);
      try {
        mayBeMore = await work(taken);
      } catch (error) {
        onError(error);
        for (const { key } of taken)
          await change(key, (watch, at) => watch && { ...watch, dueAt: at + REST_MS });
      } finally {
        clearInterval(renewing);
        await hold(lease, 0);
      }
    }
  }

  return {
    wake() {
      looking ??= look()
        .catch(onError)
        .finally(() => {
          looking = undefined;
        });
    },
    async stop(withinMs) {
      isStopped = true;
      if (looking) await settlesWithin(looking, withinMs);
    },
  };
}
