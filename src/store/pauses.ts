import type { Queryable } from './dialect.ts';
import { StoreClosedError } from './faults.ts';

/** The status of the answer that asked for a pause, and what is left of the pause. */
type Pause = { status: number; leftMs: number };

/**
 * How long each room wants to be left in peace: a row that all processes on one database read every second. A pause is never
 * shortened. `now` is never set back.
 */
export function createPauses(
  { query, dialect: { kept, now: storeNow } }: Queryable,
  { now, onError }: { now: () => number; onError(error: unknown): void },
) {
  const pauses = new Map<string, { status: number; until: number }>();
  let isStopped = false;

  function find(room: string): Pause | undefined {
    const { status = 0, until = now() } = pauses.get(room) ?? {};
    return until > now() ? { status, leftMs: until - now() } : undefined;
  }

  function lengthen(room: string, { status, leftMs }: Pause): void {
    if (leftMs > (find(room)?.leftMs ?? 0)) pauses.set(room, { status, until: now() + leftMs });
  }

  const write = (room: string, { status, leftMs }: Pause) =>
    query(
      `insert into ${kept} as known (kind, key, data, at, until)
       values ('pause', $1, $2, ${storeNow}, ${storeNow} + cast($3 as bigint)) on conflict (kind, key)
       do update set data = excluded.data, at = excluded.at, until = excluded.until where known.until < excluded.until`,
      [room, String(status), Math.round(leftMs)],
    );

  /** Reads the pauses of all processes, and writes those that the database lacks. Throws as `query` does; always once stopped. */
  async function read(): Promise<void> {
    if (isStopped) throw new StoreClosedError('the bot stops');
    const rows = await query<{ room: string; status: string; leftMs: number }>(
      `select key as room, data as status, until - ${storeNow} as "leftMs" from ${kept} where kind = 'pause'`,
    );
    for (const { room, status, leftMs } of rows) lengthen(room, { status: Number(status), leftMs });
    for (const room of pauses.keys()) {
      const pause = find(room);
      if (pause === undefined) pauses.delete(room);
      else if (!rows.some((row) => row.room === room && row.leftMs > pause.leftMs - 1000))
        await write(room, pause);
    }
  }

  return {
    find,
    begin(room: string, pause: Pause): void {
      lengthen(room, pause);
      write(room, pause).catch(onError);
    },
    read,
    wake: () => read().catch(onError),
    async stop(): Promise<void> {
      isStopped = true;
    },
  };
}
