import type { Queryable } from './dialect.ts';

/** `until`: by the clock of this process. `isShared`: the other processes can know. */
type Pause = { status: number; until: number; isShared: boolean };

/**
 * How long each room wants to be left in peace: one row for all processes on one database, now or after a restart, which each
 * reads every second. A pause is never shortened. What a database that was away did not take is told when it is back. `now`
 * is never set back.
 */
export function createPauses(
  { query, dialect: { kept, now: storeNow } }: Queryable,
  { now, onError }: { now: () => number; onError(error: unknown): void },
) {
  const pauses = new Map<string, Pause>();
  let latest: Promise<void> = Promise.resolve();
  let isStopped = false;

  function lengthen(room: string, status: number, leftMs: number, isShared: boolean): void {
    const until = now() + leftMs;
    if (until > (pauses.get(room)?.until ?? Number.NEGATIVE_INFINITY))
      pauses.set(room, { status, until, isShared });
  }

  async function share(): Promise<void> {
    for (const [room, pause] of pauses) {
      const leftMs = Math.round(pause.until - now());
      if (leftMs <= 0) pauses.delete(room);
      else if (!pause.isShared) await write(room, pause.status, leftMs);
      pause.isShared = true;
    }
    const rows = await query<{ room: string; status: string; leftMs: number }>(
      `select key as room, data as status, until - ${storeNow} as "leftMs" from ${kept} where kind = 'pause'`,
    );
    for (const { room, status, leftMs } of rows) lengthen(room, Number(status), leftMs, true);
  }

  const write = (room: string, status: number, leftMs: number) =>
    query(
      `insert into ${kept} as known (kind, key, data, at, until)
       values ('pause', $1, $2, ${storeNow}, ${storeNow} + cast($3 as bigint)) on conflict (kind, key)
       do update set data = excluded.data, at = excluded.at, until = excluded.until where known.until < excluded.until`,
      [room, String(status), leftMs],
    );

  /** One look at a time. Throws what the database throws. */
  function read(): Promise<void> {
    const reading = latest.then(share);
    latest = reading.catch(() => {}); // Its caller sees to it.
    return reading;
  }

  function wake(): void {
    if (!isStopped) read().catch(onError);
  }

  return {
    /** What is left of a room's pause, and the status of the answer that asked for it. Asks no database. */
    find(room: string) {
      const pause = pauses.get(room);
      const leftMs = pause ? pause.until - now() : 0;
      return pause && leftMs > 0 ? { status: pause.status, leftMs } : undefined;
    },
    begin(room: string, { status, leftMs }: { status: number; leftMs: number }): void {
      lengthen(room, status, leftMs, false);
      wake();
    },
    read,
    wake,
    async stop(): Promise<void> {
      isStopped = true;
      await latest;
    },
  };
}
