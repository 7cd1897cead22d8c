import type { Queryable } from './dialect.ts';
import { StoreClosedError } from './faults.ts';

/** The status of the answer that asked for a pause, and what is left of the pause. */
type Pause = { status: number; leftMs: number };
type PauseOptions = { now: () => number; onError(error: unknown): void };

/**
 * How long each room wants to be left in peace: a row that all processes on one database read every second. A pause is never
 * shortened. `now` is never set back.
 */
export function createPauses(store: Queryable, { now, onError }: PauseOptions) {
  const pauses = new Map<string, { status: number; until: number }>();
  let isStopped = false;

  function find(room: string): Pause | undefined {
    const { status = 0, until = now() } = pauses.get(room) ?? {};
    return until > now() ? { status, leftMs: until - now() } : undefined;
  }

  function lengthen(room: string, { status, leftMs }: Pause): void {
    if (leftMs > (find(room)?.leftMs ?? 0)) pauses.set(room, { status, until: now() + leftMs });
  }

  /** Reads the pauses of all processes, and writes those that the database lacks. Throws as `query` does; always once stopped. */
  async function read(): Promise<void> {
    if (isStopped) throw new StoreClosedError('the bot stops');
    const rows = await readRows(store);
    for (const { room, status, leftMs } of rows) lengthen(room, { status: Number(status), leftMs });
    for (const room of pauses.keys()) {
      const pause = find(room);
      const isStored = rows.some((row) => row.room === room && row.leftMs > (pause?.leftMs ?? 0) - 1000);
      if (pause && !isStored) await writeRow(room, pause, store);
    }
  }

  return {
    find,
    begin(room: string, pause: Pause): void {
      lengthen(room, pause);
      writeRow(room, pause, store).catch(onError);
    },
    read,
    wake: () => read().catch(onError),
    async stop(): Promise<void> {
      isStopped = true;
    },
  };
}

function readRows({ query, dialect: { kept, now } }: Queryable) {
  return query<{ room: string; status: string; leftMs: number }>(
    `select key as room, data as status, until - ${now} as "leftMs" from ${kept} where kind = 'pause'`,
  );
}

async function writeRow(
  room: string,
  { status, leftMs }: Pause,
  { query, dialect: { kept, now } }: Queryable,
) {
  await query(
    `insert into ${kept} as known (kind, key, data, at, until)
     values ('pause', $1, $2, ${now}, ${now} + cast($3 as bigint)) on conflict (kind, key)
     do update set data = excluded.data, at = excluded.at, until = excluded.until where known.until < excluded.until`,
    [room, String(status), Math.round(leftMs)],
  );
}
