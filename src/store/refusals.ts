import { z } from 'zod';
import type { Refusal } from '../domain/lockout.ts';
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
export function createRefusals(
  { query, dialect: { kept, now: storeNow } }: Queryable,
  { now, onError }: { now: () => number; onError(error: unknown): void },
) {
  const members: Member[] = [];
  /** The rows by key. Each is converted once, because the store's clock can be set. */
  let known: ReadonlyMap<string, Known> = new Map();
  let latest: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** One look at a time, so that no older answer comes after a newer one. */
  function wake(): void {
    if (!isStopped) latest = latest.then(synchronise).catch(onError);
  }

  async function synchronise(): Promise<void> {
    for (const member of members) await write(member);
    const rows = await query<Row>(
      `select key, holder as by, data, at, ${storeNow} - at as ago from ${kept} where kind = 'refusal'`,
    );
    const before = known;
    known = new Map(rows.map((row) => [row.key, convert(row, before.get(row.key))]));
    for (const { key, onRefusal } of members) onRefusal(known.get(key)?.refusal);
  }

  function convert(row: Row, before: Known | undefined): Known {
    if (before?.row.by === row.by && before.row.at === row.at) return before;
    return { row, refusal: readRefusal(row, now()) };
  }

  async function write(member: Member): Promise<void> {
    if (member.isWithdrawn)
      await query(`delete from ${kept} where kind = 'refusal' and key = $1`, [member.key]);
    member.isWithdrawn = false;
    const { key, notYetPublished: refusal } = member;
    if (refusal !== undefined && now() < refusal.until) await publish(key, refusal);
    if (member.notYetPublished === refusal) member.notYetPublished = undefined;
  }

  async function publish(key: string, { by, restMs, until, since }: Refusal): Promise<void> {
    const leftMs = until - now();
    const shared: z.output<typeof sharedSchema> = { restMs, leftMs, sinceMs: now() - since };
    await query(
      `insert into ${kept} (kind, key, holder, data, at, until)
       values ('refusal', $1, $2, $3, ${storeNow}, ${storeNow} + cast($4 as bigint))
       on conflict (kind, key) do update
       set holder = excluded.holder, data = excluded.data, at = excluded.at, until = excluded.until`,
      [key, by, JSON.stringify(shared), Math.round(leftMs) + STAYS_MS],
    );
  }

  /** The way to the processes that share one account. @param system which judges the account, by a name that all share */
  function of(system: string, username: string) {
    return (onRefusal: Member['onRefusal']) => {
      const member: Member = { key: JSON.stringify([system, username]), onRefusal, isWithdrawn: false };
      members.push(member);
      return {
        publish(refusal: Refusal): void {
          member.notYetPublished = refusal;
          wake();
        },
        withdraw(): void {
          member.notYetPublished = undefined;
          member.isWithdrawn = true;
          wake();
        },
      };
    };
  }

  async function stop(): Promise<void> {
    isStopped = true;
    await latest;
  }

  return { of, wake, stop };
}

/** Reads a row; undefined if the row has another form. @param at the present, by the clock of the refusal's times */
function readRefusal({ by, data, ago }: Row, at: number): Refusal | undefined {
  const shared = sharedSchema.safeParse(parseJson(data)).data;
  if (shared === undefined) return undefined;
  const { restMs, leftMs, sinceMs } = shared;
  const writtenAt = at - Math.max(0, ago);
  return { by, restMs, until: writtenAt + leftMs, since: writtenAt - sinceMs };
}
