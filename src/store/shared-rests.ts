import { z } from 'zod';
import type { Refusal, SharedRefusals } from '../domain/lockout.ts';
import { parseJson } from '../domain/text.ts';
import type { Queryable } from './dialect.ts';

/** The status of the answer that asked for a pause, and the pause's end. */
type Pause = { status: number; until: number };

/** `ageMs`, `leftMs`: since the row was written, and until it ends, by the store's clock. */
type Row = { kind: 'refusal' | 'pause'; key: string; by: string | null; data: string; at: number } & {
  ageMs: number;
  leftMs: number;
};

/** A refusal stays after its rest, so that the next rest is twice as long, whichever process begins it. */
const STAYS_MS = 3_600_000;

/** A refusal's data: durations from when it was written, so that no clock of a process is compared with another's. */
const refusalSchema = z.object({ restMs: z.number(), leftMs: z.number(), sinceMs: z.number() });

/**
 * How long refused accounts and busy rooms rest: rows that all processes on one database share, and read every second. `now` is
 * the steady clock.
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
    this.#publish(`pause ${room}`, () =>
      this.#write('pause', room, null, String(status), until - this.#now()),
    );
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
    void this.wake();
  }

  readonly #look = async (): Promise<void> => {
    const { query } = this.#store;
    for (const [name, write] of this.#unwritten) {
      await write();
      if (this.#unwritten.get(name) === write) this.#unwritten.delete(name);
    }
    const rows = await query<Row>(
      `select kind, key, holder as by, data, at, now_ms() - at as "ageMs", until - now_ms() as "leftMs"
       from kept where kind in ('pause', 'refusal')`,
    );
    const before = this.#rows;
    this.#rows = new Map(rows.map((row) => [`${row.kind} ${row.key}`, row]));
    const isNews = (name: string) => {
      const [was, is] = [before.get(name), this.#rows.get(name)];
      return was?.by !== is?.by || was?.at !== is?.at;
    };
    for (const row of rows.filter(({ kind, key }) => kind === 'pause' && isNews(`pause ${key}`)))
      this.#lengthen(row.key, { status: Number(row.data), until: this.#now() + leftOf(row) });
    for (const { name, onRefusal } of this.#receivers)
      if (isNews(name)) onRefusal(readRefusal(this.#rows.get(name), this.#now()));
  };

  async #writeRefusal(key: string, refusal: Refusal | undefined): Promise<unknown> {
    const { query } = this.#store;
    if (!refusal) return query(`delete from kept where kind = 'refusal' and key = $1`, [key]);
    const { by, restMs, until, since } = refusal;
    const leftMs = until - this.#now();
    const shared: z.output<typeof refusalSchema> = { restMs, leftMs, sinceMs: this.#now() - since };
    return leftMs > 0 && this.#write('refusal', key, by, JSON.stringify(shared), leftMs + STAYS_MS);
  }

  async #write(kind: Row['kind'], key: string, by: string | null, data: string, forMs: number) {
    await this.#store.query(
      `insert into kept as known (kind, key, holder, data, at, until)
       values ($1, $2, $3, $4, now_ms(), now_ms() + cast($5 as bigint)) on conflict (kind, key) do update
       set holder = excluded.holder, data = excluded.data, at = excluded.at, until = excluded.until
       where known.kind = 'refusal' or known.until < excluded.until`,
      [kind, key, by, data, Math.round(forMs)],
    );
  }
}

/** At most the whole pause, if the store's clock was set back since. */
const leftOf = ({ leftMs, ageMs }: Row) => Math.min(leftMs, leftMs + ageMs);

function readRefusal(row: Row | undefined, now: number): Refusal | undefined {
  const shared = refusalSchema.safeParse(parseJson(row?.data ?? '')).data;
  if (!shared || !row?.by) return undefined;
  const { restMs, leftMs, sinceMs } = shared;
  const writtenAt = now - Math.max(0, row.ageMs);
  return { by: row.by, restMs, until: writtenAt + leftMs, since: writtenAt - sinceMs };
}
