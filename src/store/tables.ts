import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Refusal, SharedRefusals } from '../domain/lockout.ts';
import { parseJson, storable } from '../domain/text.ts';
import type { Pause } from '../domain/timing.ts';
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
      await run(upsert, key, data, forMs && Math.round(forMs));
    },
    /** Saves a row, unless there is one that is kept for longer. */
    prolong: (key: string, data: string, forMs: number) =>
      run(`${upsert} where known.until < excluded.until`, key, data, Math.round(forMs)),
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

/** The places of alerts by name, in any case. `Place`: plain data by which the front end finds the conversation again. */
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

/** `ageMs`, `leftMs`: since the row was written, and until it ends, by the store's clock. */
type Row = Record<'kind' | 'key' | 'data', string> & Record<'at' | 'ageMs' | 'leftMs', number>;

/** A refusal stays after its rest, so that the next rest is twice as long, whichever process begins it. */
const STAYS_MS = 3_600_000;

/** A refusal's data: durations from when it was written, so that no clock of a process is compared with another's. */
const refusalSchema = z.object({
  by: z.string(),
  restMs: z.number(),
  leftMs: z.number(),
  sinceMs: z.number(),
});

/**
 * How long refused accounts and busy rooms rest: rows that all processes on one database share, and read every second while
 * there are any. `now` is the steady clock.
 */
export class SharedRests {
  readonly #store: Queryable;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #receivers: Array<{ name: string; onRefusal(latest: Refusal | undefined): void }> = [];
  /** By kind and key. Each row is converted once, because the store's clock can be set. */
  #rows: ReadonlyMap<string, Row> = new Map();
  /** By room; they may have ended. */
  readonly pauses = new Map<string, Pause>();
  readonly #unwritten = new Map<string, () => Promise<unknown>>();
  #latest: Promise<void> = Promise.resolve();
  /** Undefined, so that it looks each second: a row's end must be seen, or a row is not written yet. */
  queueName: 'rest' | undefined = 'rest';

  constructor(store: Queryable, { now, onError }: { now: () => number; onError(error: unknown): void }) {
    this.#store = store;
    this.#now = now;
    this.#onError = onError;
  }

  /** The way to the processes that share one account. @param system which judges the account, by a name that all share */
  ofAccount(system: string, username: string): SharedRefusals {
    const key = JSON.stringify([system, username]);
    return (onRefusal) => {
      const name = `refusal ${key}`;
      this.#receivers.push({ name, onRefusal });
      return (refusal) => this.#publish(name, () => this.#writeRefusal(key, refusal));
    };
  }

  /** Begins a pause, unless the room has a longer one. */
  beginPause(room: string, pause: Pause): void {
    const { status, until } = pause;
    this.#lengthen(room, pause);
    const rows = createRows(this.#store, 'pause');
    this.#publish(`pause ${room}`, () => rows.prolong(room, String(status), until - this.#now()));
  }

  /** Writes the missing rows, and reads all. @throws the errors of `query` */
  read(): Promise<void> {
    this.#latest = this.#latest.then(this.#look, this.#look); // One by one, so that no older answer comes after a newer one.
    return this.#latest;
  }

  wake(): Promise<void> {
    return this.read().catch(this.#onError);
  }

  async stop(): Promise<void> {
    await this.#latest.catch(() => {}); // Its own caller sees to it.
  }

  #lengthen(room: string, pause: Pause): void {
    if (pause.until > (this.pauses.get(room)?.until ?? 0)) this.pauses.set(room, pause);
  }

  #publish(name: string, write: () => Promise<unknown>): void {
    this.#unwritten.set(name, write);
    this.queueName = undefined;
    void this.wake();
  }

  readonly #look = async (): Promise<void> => {
    for (const [name, write] of this.#unwritten) {
      await write();
      if (this.#unwritten.get(name) === write) this.#unwritten.delete(name);
    }
    const rows = await this.#store.query<Row>(
      `select kind, key, data, at, now_ms() - at as "ageMs", until - now_ms() as "leftMs"
       from kept where kind in ('pause', 'refusal')`,
    );
    this.queueName = rows.length + this.#unwritten.size > 0 ? undefined : 'rest';
    const before = this.#rows;
    this.#rows = new Map(rows.map((row) => [`${row.kind} ${row.key}`, row]));
    const isNews = (name: string) => {
      const [was, is] = [before.get(name), this.#rows.get(name)];
      return was?.data !== is?.data || was?.at !== is?.at;
    };
    for (const row of rows.filter(({ kind, key }) => kind === 'pause' && isNews(`pause ${key}`)))
      this.#lengthen(row.key, { status: Number(row.data), until: this.#now() + leftOf(row) });
    for (const { name, onRefusal } of this.#receivers)
      if (isNews(name)) onRefusal(readRefusal(this.#rows.get(name), this.#now()));
  };

  async #writeRefusal(key: string, refusal: Refusal | undefined): Promise<unknown> {
    const rows = createRows(this.#store, 'refusal');
    if (!refusal) return rows.remove(key);
    const { by, restMs, until, since } = refusal;
    const now = this.#now();
    const shared: z.output<typeof refusalSchema> = { by, restMs, leftMs: until - now, sinceMs: now - since };
    return until > now && rows.save(key, JSON.stringify(shared), until - now + STAYS_MS);
  }
}

/** At most the whole pause, if the store's clock was set back since. */
const leftOf = ({ leftMs, ageMs }: Row) => Math.min(leftMs, leftMs + ageMs);

function readRefusal(row: Row | undefined, now: number): Refusal | undefined {
  const shared = refusalSchema.safeParse(parseJson(row?.data ?? '')).data;
  if (!row || !shared) return undefined;
  const { by, restMs, leftMs, sinceMs } = shared;
  const writtenAt = now - Math.max(0, row.ageMs);
  return { by, restMs, until: writtenAt + leftMs, since: writtenAt - sinceMs };
}
