import type { PgBoss } from 'pg-boss';
import type { z } from 'zod';
import { createDeadLetters, type DeadLetters } from './dead-letters.ts';
import { createJobRows } from './job-rows.ts';
import { WAITS } from './sql.ts';
import type { Store } from './store.ts';
import { startWorkers, type Work } from './workers.ts';

type QueueName = 'lookup' | 'post' | 'reply' | 'alert';

export type Queue<Data> = DeadLetters<Data> & {
  /**
   * Puts a job into the database. Throws what the database throws; after a StoreClosedError the job may still be put.
   * @param key what the job is about: equal keys make one job everywhere
   * @returns `known` if a job with this key is there or was done in the last 24 hours; `full` if nothing was put
   */
  put(key: string, data: Data, afterMs?: number): Promise<'put' | 'known' | 'full'>;
  /** Whether a job with this key is there or was done in the last 24 hours. */
  has(key: string): Promise<boolean>;
  /** Returns the data of the job with this key, as it was put; undefined if `has` is false. */
  find(key: string): Promise<Data | undefined>;
  /** Postpones those of these jobs that no worker has taken yet. */
  defer(keys: readonly string[], afterMs: number): Promise<void>;
  /** Settles a job that was done without a worker. */
  settle(key: string): Promise<void>;
  /** Counts jobs; a job that a worker has taken is not waiting. */
  count(): Promise<{ waiting: number; dead: number }>;
};

/** A queue whose workers begin when the engine runs. */
export type StartableQueue<Data> = Queue<Data> & { start(boss: PgBoss, work: Work<Data>): Promise<void> };

export type QueueOptions<Data> = {
  name: QueueName;
  schema: z.ZodType<Data>;
  onError(error: unknown): void;
};

/** The most jobs that may wait in one queue. */
export const MAX_WAITING = 10_000;

/** How long a count of the waiting jobs is used. */
const COUNT_HOLDS_MS = 1000;

const HOUR_S = 3600;

/** How pg-boss treats unsettled jobs: a crashed worker's jobs come back after the heartbeat, a few times. */
const CRASH_POLICY = {
  notify: true,
  retryLimit: 5,
  retryDelay: 1,
  heartbeatSeconds: 10,
  expireInSeconds: 600,
  deleteAfterSeconds: 24 * HOUR_S,
  retentionSeconds: 48 * HOUR_S,
};

/** A queue in the database. */
export function createQueue<Data extends object>(
  store: Pick<Store, 'query' | 'ask'>,
  { name, schema, onError }: QueueOptions<Data>,
): StartableQueue<Data> {
  const deadName = `${name}-dead`;
  const rows = createJobRows(store, name, schema);

  const hasPlace = createPlaces(async () => {
    const [row] = await store.query<{ count: string }>(
      `select count(*) from (select from pgboss.job where name = $1 and ${WAITS} limit ${MAX_WAITING}) waiting`,
      [name],
    );
    return Number(row?.count);
  });

  return {
    ...createDeadLetters(store, deadName, rows),
    async start(boss, work) {
      await boss.createQueue(deadName, { retentionSeconds: 14 * 24 * HOUR_S, deleteAfterSeconds: HOUR_S });
      await boss.createQueue(name, { ...CRASH_POLICY, deadLetter: deadName });
      await startWorkers(boss, { name, rows, work, onError });
    },
    async put(key, data, afterMs = 0) {
      if ((await rows.read(key)) !== undefined) return 'known';
      return (await hasPlace()) ? rows.send(key, data, afterMs) : 'full';
    },
    has: async (key) => (await rows.read(key)) !== undefined,
    find: async (key) => rows.parse((await rows.read(key))?.data)?.data,
    async defer(keys, afterMs) {
      await store.query(
        `update pgboss.job set start_after = $3 where name = $1 and id = any($2::uuid[]) and state < 'active'`,
        [name, keys.map(rows.idOf), new Date(Date.now() + afterMs)],
      );
    },
    async settle(key) {
      await store.ask((boss) => boss.complete(name, rows.idOf(key), null, { includeQueued: true }));
    },
    async count() {
      const counts = await store.query<{ name: string; count: string }>(
        `select name, count(*) from pgboss.job where name in ($1, $2) and ${WAITS} group by name`,
        [name, deadName],
      );
      const of = (each: string) => Number(counts.find((row) => row.name === each)?.count ?? 0);
      return { waiting: of(name), dead: of(deadName) };
    },
  };
}

/** Says whether the queue has a place for one more job. Counts the waiting jobs once a second, not for each call. */
function createPlaces(countWaiting: () => Promise<number>): () => Promise<boolean> {
  let latest: { at: number; waiting: Promise<number>; given: number } | undefined;

  return async () => {
    if (latest === undefined || performance.now() - latest.at >= COUNT_HOLDS_MS) {
      const waiting = countWaiting();
      waiting.catch(() => {
        latest = undefined;
      });
      latest = { at: performance.now(), waiting, given: 0 };
    }
    const mine = latest;
    if ((await mine.waiting) + mine.given >= MAX_WAITING) return false;
    mine.given++;
    return true;
  };
}
