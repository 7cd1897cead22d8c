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

/** Returns a function that runs tasks of all processes one after another. A lock outlives its process for 5 s. */
export function createLock(store: Queryable, name: string) {
  const locks = createRows(store, 'lock');
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    const holder = randomUUID();
    while (!(await locks.add(name, holder, 5000))) await delay(10);
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
/** A row in this process. `until`: by its steady clock, converted once, because the store's clock can be set. */
type Rest = Pick<Row, 'data' | 'at'> & { until: number };

/** A refusal stays after its rest, so that the next rest is twice as long, whichever process begins it. */
const STAYS_MS = 3_600_000;

/** A refusal's data. `sinceMs`: from when the process has only been refused until the rest's end. */
const refusalSchema = z.object({ by: z.string(), restMs: z.number(), sinceMs: z.number() });

/** `now`: the steady clock. */
type RestsParts = Queryable & { now: () => number; onError(error: unknown): void };

/**
 * How long refused accounts and busy rooms rest: rows that all processes on one database share, and read every second while
 * there are any.
 */
export class SharedRests {
  readonly #parts: RestsParts;
  readonly #onReads: Array<() => void> = [];
  /** By kind and key; they may have ended. */
  #rests = new Map<string, Rest>();
  readonly #unwritten = new Map<string, () => Promise<unknown>>();
  #latest: Promise<void> = Promise.resolve();

  constructor(parts: RestsParts) {
    this.#parts = parts;
  }

  /** Undefined, so that it looks each second: a row's end must be seen, or a row is not written yet. */
  get queueName(): 'rest' | undefined {
    return this.#rests.size + this.#unwritten.size > 0 ? undefined : 'rest';
  }

  /** The way to the processes that share one account. @param system which judges the account, by a name that all share */
  ofAccount(system: string, username: string): SharedRefusals {
    const key = JSON.stringify([system, username]);
    const name = `refusal ${key}`;
    return (onRefusal) => {
      this.#onReads.push(() => onRefusal(readRefusal(this.#rests.get(name))));
      return (refusal) => this.#publish(name, () => this.#writeRefusal(key, refusal));
    };
  }

  /** Returns the pause that a room asked for; it may have ended. */
  pauseOf(room: string): Pause | undefined {
    const rest = this.#rests.get(`pause ${room}`);
    return rest && { status: Number(rest.data), until: rest.until };
  }

  /** Begins a pause, unless the room has a longer one. */
  beginPause(room: string, { status, until }: Pause): void {
    if (until <= (this.pauseOf(room)?.until ?? 0)) return;
    const [name, data] = [`pause ${room}`, String(status)];
    const { prolong } = createRows(this.#parts, 'pause');
    this.#rests.set(name, { data, at: 0, until });
    this.#publish(name, () => prolong(room, data, until - this.#parts.now()));
  }

  /** Writes the missing rows, and reads all. @throws the errors of `query` */
  read(): Promise<void> {
    this.#latest = this.#latest.then(this.#look, this.#look); // One by one, so that no older answer comes after a newer one.
    return this.#latest;
  }

  wake(): Promise<void> {
    return this.read().catch(this.#parts.onError);
  }

  async stop(): Promise<void> {
    await this.#latest.catch(() => {}); // Its own caller sees to it.
  }

  #publish(name: string, write: () => Promise<unknown>): void {
    this.#unwritten.set(name, write);
    void this.wake();
  }

  readonly #look = async (): Promise<void> => {
    for (const [name, write] of this.#unwritten) {
      await write();
      if (this.#unwritten.get(name) === write) this.#unwritten.delete(name);
    }
    const rows = await this.#parts.query<Row>(
      `select kind, key, data, at, now_ms() - at as "ageMs", until - now_ms() as "leftMs"
       from kept where kind in ('pause', 'refusal')`,
    );
    if (this.#unwritten.size > 0) return; // The rows are older than the rests here.
    const before = this.#rests;
    this.#rests = new Map();
    for (const { kind, key, data, at, ageMs, leftMs } of rows) {
      const name = `${kind} ${key}`;
      const known = before.get(name);
      // At most the whole rest, if the store's clock was set back since.
      const until = this.#parts.now() + Math.min(leftMs, leftMs + ageMs);
      this.#rests.set(name, known?.data === data && known.at === at ? known : { data, at, until });
    }
    for (const onRead of this.#onReads) onRead();
  };

  async #writeRefusal(key: string, refusal: Refusal | undefined): Promise<unknown> {
    const rows = createRows(this.#parts, 'refusal');
    if (!refusal) return rows.remove(key);
    const { by, restMs, until, since } = refusal;
    const leftMs = until - this.#parts.now();
    const shared: z.output<typeof refusalSchema> = { by, restMs, sinceMs: until - since };
    return leftMs > 0 && rows.save(key, JSON.stringify(shared), leftMs + STAYS_MS);
  }
}

function readRefusal(rest: Rest | undefined): Refusal | undefined {
  const shared = rest && refusalSchema.safeParse(parseJson(rest.data)).data;
  if (!shared) return undefined;
  const { by, restMs, sinceMs } = shared;
  const until = rest.until - STAYS_MS;
  return { by, restMs, until, since: until - sinceMs };
}
