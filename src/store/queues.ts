import type { PgBoss } from 'pg-boss';
import type { z } from 'zod';
import { storable } from '../text/storable.ts';
import { createDeadLetters, type DeadLetters } from './dead-letters.ts';
import { createJobRows } from './job-rows.ts';
import type { Query, Queryable } from './sql.ts';
import { WAITS } from './sql.ts';
import { startWorkers, type Worker, type Workers } from './workers.ts';

export const QUEUE_NAMES = ['lookup', 'post', 'reply', 'alert'] as const;
type QueueName = (typeof QUEUE_NAMES)[number];

/** The queue of the dead letters of a queue. */
export function deadNameOf(name: QueueName) {
  return `${name}-dead` as const;
}

export type Queue<Data> = DeadLetters<Data> & {
  /**
   * Puts a job into the database. Throws what the database throws; after a StoreClosedError the job may still be put.
   * @param key what the job is about: equal keys make one job everywhere
   * @returns `known` if a job with this key is there or was done in the last 24 hours; `full` if nothing was put
   */
  put(key: string, data: Data, afterMs?: number): Promise<'put' | 'known' | 'full'>;
  /** Whether a job with this key is there or was done in the last 24 hours. */
  has(key: string): Promise<boolean>;
  /** How far the job with this key is; `none` if it is not there and was not done in the last 24 hours. */
  progress(key: string): Promise<'none' | 'waiting' | 'done'>;
  /** Remembers for 24 hours that what a job with this key is about was done without a job. */
  note(key: string, data: Data): Promise<void>;
  /** The data of the job with this key, as it was put; as long as `has` tells of it. */
  find(key: string): Promise<Data | undefined>;
  /** Gives a job other data, unless a worker has taken it or it is not there. */
  change(key: string, data: Data): Promise<void>;
  /** Postpones those of these jobs that no worker has taken yet. */
  defer(keys: readonly string[], afterMs: number): Promise<void>;
  /** Settles a job that was done without a worker. */
  settle(key: string): Promise<void>;
  /** Counts jobs; a job that a worker has taken is not waiting. */
  count(): Promise<{ waiting: number; dead: number }>;
};

/** A queue whose workers begin when the engine runs. */
export type StartableQueue<Data> = Queue<Data> & {
  start(boss: PgBoss, worker: Worker<Data>): Promise<Workers>;
};

export type QueueOptions<Data> = {
  name: QueueName;
  schema: z.ZodType<Data>;
  onError(error: unknown): void;
};

/** The most jobs that may wait in one queue. */
export const MAX_WAITING = 10_000;

/** How long a count of the waiting jobs is used. */
const COUNT_HOLDS_MS = 1000;

const DAY_S = 24 * 3600;

/**
 * How pg-boss treats a job that nobody settled: after the heartbeat it goes back into the queue. The heartbeat alone tells a
 * dead process, so the time-out is pg-boss's longest. Workers judge how often a job comes back, so no limit ends one in silence.
 */
const CRASH_POLICY = {
  retryLimit: 1_000_000,
  retryDelay: 0,
  heartbeatSeconds: 10,
  expireInSeconds: DAY_S,
  deleteAfterSeconds: DAY_S,
  retentionSeconds: 30 * DAY_S,
};

/** Jobs that an older release put have its shorter limits. */
const RENEW_LIMITS = `update pgboss.job set retry_limit = $2, expire_seconds = $3, retry_delay = 0,
  keep_until = greatest(keep_until, created_on + interval '30 days')
  where name = $1 and state <= 'active' and retry_limit < $2`;

/** A queue in the database. */
export function createQueue<Data extends object>(
  store: Queryable,
  { name, schema, onError }: QueueOptions<Data>,
): StartableQueue<Data> {
  const deadName = deadNameOf(name);
  const rows = createJobRows(store, name, schema);

  const hasPlace = createPlaces(async () => {
    const [row] = await store.query<{ count: string }>(
      `select count(*) from (select from pgboss.job where name = $1 and ${WAITS} limit ${MAX_WAITING}) waiting`,
      [name],
    );
    return Number(row?.count);
  });

  let workers: Workers | undefined;

  return {
    ...createDeadLetters(store, deadName, rows),
    async start(boss, worker) {
      const query = await prepare(boss, name);
      workers = startWorkers({ boss, query, name, deadName, rows, worker, onError });
      return workers;
    },
    async put(key, data, afterMs = 0) {
      if ((await rows.read(key)) !== undefined) return 'known';
      if (!(await hasPlace())) return 'full';
      const put = await rows.send({ key, data }, afterMs);
      if (afterMs === 0) workers?.wake();
      return put;
    },
    has: async (key) => (await rows.read(key)) !== undefined,
    async progress(key) {
      const row = await rows.read(key);
      return row === undefined ? 'none' : row.isDone ? 'done' : 'waiting';
    },
    async note(key, data) {
      await store.query(
        'insert into bot.job_key (id, data, at) values ($1, $2, now()) on conflict do nothing',
        [rows.idOf(key), JSON.stringify(storable({ key, data }))],
      );
    },
    async find(key) {
      const job = rows.parse((await rows.read(key))?.data);
      return job === 'newer' ? undefined : job?.data;
    },
    async change(key, data) {
      await store.query(
        `update pgboss.job set data = jsonb_set(data, '{data}', $3) where name = $1 and id = $2 and state < 'active'`,
        [name, rows.idOf(key), JSON.stringify(storable(data))],
      );
    },
    async defer(keys, afterMs) {
      await store.query(
        `update pgboss.job set start_after = $3 where name = $1 and id = any($2::uuid[]) and state < 'active'`,
        [name, keys.map(rows.idOf), new Date(Date.now() + afterMs)],
      );
    },
    async settle(key) {
      await store.ask((boss) => boss.complete(name, rows.idOf(key), null, { includeQueued: true }));
    },
    count: () => countJobs(store, name, deadName),
  };
}

async function countJobs({ query }: Queryable, name: string, deadName: string) {
  const counts = await query<{ name: string; count: string }>(
    `select name, count(*) from pgboss.job where name in ($1, $2) and ${WAITS} group by name`,
    [name, deadName],
  );
  const of = (each: string) => Number(counts.find((row) => row.name === each)?.count ?? 0);
  return { waiting: of(name), dead: of(deadName) };
}

/** Makes a queue and its dead letters if they are not there, and gives the queue today's limits. */
export async function makeQueue(boss: PgBoss, name: QueueName): Promise<void> {
  const deadLetter = deadNameOf(name);
  if ((await boss.getQueues([name, deadLetter])).length < 2) {
    await boss.createQueue(deadLetter, { retentionSeconds: 30 * DAY_S, deleteAfterSeconds: DAY_S });
    await boss.createQueue(name, { ...CRASH_POLICY, deadLetter });
  }
  await boss.updateQueue(name, CRASH_POLICY);
}

/** Makes the queue, and gives its jobs today's limits. Returns the way to the engine's own database. */
async function prepare(boss: PgBoss, name: QueueName): Promise<Query> {
  const query: Query = async (sql, values = []) => (await boss.getDb().executeSql(sql, [...values])).rows;
  await makeQueue(boss, name);
  await query(RENEW_LIMITS, [name, CRASH_POLICY.retryLimit, CRASH_POLICY.expireInSeconds]);
  return query;
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
