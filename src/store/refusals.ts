import { z } from 'zod';
import type { Refusal, SharedRefusals } from '../domain/lockout.ts';
import { parseJson } from '../domain/text.ts';
import type { Queryable } from './dialect.ts';

/** One account here: the receiver of its refusal, and what is not yet in the database. */
type Member = {
  key: string;
  onRefusal(latest: Refusal | undefined): void;
  notYetPublished?: Refusal | undefined;
  isWithdrawn: boolean;
};

/** A refusal stays after its rest, so that the next rest is twice as long, whichever process begins it. */
const STAYS_MS = 3_600_000;

/** A row's data: durations from when it was written, so that no clock of a process is compared with another's. */
const sharedSchema = z.object({ restMs: z.number(), leftMs: z.number(), sinceMs: z.number() });
type Row = { key: string; by: string; data: string; at: number; ago: number };
type Known = { row: Row; refusal: Refusal | undefined };

/**
 * The refusals of the bot's own accounts, shared by all processes on one database, now and after a restart. The latest of each
 * account is a row, which each process reads every second. `now` is the steady clock.
 */
export class Refusals {
  readonly #store: Queryable;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #members: Member[] = [];
  /** The rows by key. Each is converted once, because the store's clock can be set. */
  #known: ReadonlyMap<string, Known> = new Map();
  #latest: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(store: Queryable, { now, onError }: { now: () => number; onError(error: unknown): void }) {
    this.#store = store;
    this.#now = now;
    this.#onError = onError;
  }

  /** The way to the processes that share one account. @param system which judges the account, by a name that all share */
  of(system: string, username: string): SharedRefusals {
    return (onRefusal) => {
      const member: Member = { key: JSON.stringify([system, username]), onRefusal, isWithdrawn: false };
      this.#members.push(member);
      return (refusal) => {
        member.notYetPublished = refusal;
        member.isWithdrawn ||= refusal === undefined;
        void this.wake();
      };
    };
  }

  /** Publishes and reads. One look at a time, so that no older answer comes after a newer one. Never rejects. */
  wake(): Promise<void> {
    if (!this.#isStopped) this.#latest = this.#latest.then(() => this.#synchronise()).catch(this.#onError);
    return this.#latest;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#latest;
  }

  async #synchronise(): Promise<void> {
    const { query, dialect } = this.#store;
    for (const member of this.#members) await this.#write(member);
    const rows = await query<Row>(
      `select key, holder as by, data, at, ${dialect.now} - at as ago from ${dialect.kept} where kind = 'refusal'`,
    );
    const before = this.#known;
    const convert = (row: Row): Known => {
      const known = before.get(row.key);
      const isSame = known?.row.by === row.by && known.row.at === row.at;
      return isSame ? known : { row, refusal: readRefusal(row, this.#now()) };
    };
    this.#known = new Map(rows.map((row) => [row.key, convert(row)]));
    for (const { key, onRefusal } of this.#members) onRefusal(this.#known.get(key)?.refusal);
  }

  async #write(member: Member): Promise<void> {
    const { query, dialect } = this.#store;
    const { key, notYetPublished: refusal, isWithdrawn } = member;
    if (isWithdrawn) await query(`delete from ${dialect.kept} where kind = 'refusal' and key = $1`, [key]);
    member.isWithdrawn = false;
    if (refusal !== undefined && this.#now() < refusal.until) await this.#publish(key, refusal);
    if (member.notYetPublished === refusal) member.notYetPublished = undefined;
  }

  async #publish(key: string, { by, restMs, until, since }: Refusal): Promise<void> {
    const { kept, now } = this.#store.dialect;
    const leftMs = until - this.#now();
    const shared: z.output<typeof sharedSchema> = { restMs, leftMs, sinceMs: this.#now() - since };
    await this.#store.query(
      `insert into ${kept} (kind, key, holder, data, at, until)
       values ('refusal', $1, $2, $3, ${now}, ${now} + cast($4 as bigint))
       on conflict (kind, key) do update
       set holder = excluded.holder, data = excluded.data, at = excluded.at, until = excluded.until`,
      [key, by, JSON.stringify(shared), Math.round(leftMs) + STAYS_MS],
    );
  }
}

/** Reads a row; undefined if the row has another form. @param at the present, by the clock of the refusal's times */
function readRefusal({ by, data, ago }: Row, at: number): Refusal | undefined {
  const shared = sharedSchema.safeParse(parseJson(data)).data;
  if (shared === undefined) return undefined;
  const { restMs, leftMs, sinceMs } = shared;
  const writtenAt = at - Math.max(0, ago);
  return { by, restMs, until: writtenAt + leftMs, since: writtenAt - sinceMs };
}
