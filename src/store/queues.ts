import type { JobResult, PgBoss } from 'pg-boss';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import { WAITS } from './sql.ts';
import type { Store } from './store.ts';

export type QueueName = 'lookup' | 'post' | 'reply' | 'alert';

/** What a worker made of a job. */
export type JobOutcome<Data> =
  | { kind: 'done' }
  /** To be tried again with this data after this long. */
  | { kind: 'again'; data: Data; afterMs: number }
  /** Given up: kept among the dead letters, with the reason. */
  | { kind: 'dead'; reason: string };

export type Queue<Data> = {
  /**
   * Puts a job into the database. Throws what the database throws; where that is StoreClosedError, the job may come late.
   * @param key what the job is about: equal keys make one job everywhere
   * @returns `known` where a job with this key is there or was done in the last 24 hours; `full` where nothing was put
   */
  put(key: string, data: Data, afterMs?: number): Promise<'put' | 'known' | 'full'>;
  /** Whether a job with this key is there or was done in the last 24 hours. */
  has(key: string): Promise<boolean>;
  /** The data of the job with this key, as it was put; as long as `has` tells of it. */
  find(key: string): Promise<Data | undefined>;
  /** Puts those of these jobs off that no worker has taken yet. */
  defer(keys: readonly string[], afterMs: number): Promise<void>;
  /** Settles a job that was done without a worker. */
  settle(key: string): Promise<void>;
  /** Those that a worker has taken are not among the waiting. */
  count(): Promise<{ waiting: number; dead: number }>;
  /** The oldest dead letters. */
  listDead(limit: number): Promise<ReadonlyArray<{ data: Data; at: Date }>>;
  /** Puts every dead letter back as `renew` makes it, or drops it where that gives undefined; tells how many there were. */
  emptyDead(renew: (data: Data) => Data | undefined): Promise<number>;
};

export type QueueOptions<Data> = {
  name: QueueName;
  schema: z.ZodType<Data>;
  /** Works on one job. What it throws is a bug: the job is tried again a few times and then given up. */
  work(data: Data, key: string): Promise<JobOutcome<Data>>;
  onError(error: unknown): void;
};

/** The most jobs that may wait in one queue. */
export const MAX_WAITING = 10_000;

/** How long a count of the waiting holds for those who put. */
const COUNT_HOLDS_MS = 1000;

const NAMESPACE = '6f1d9c1e-52b5-4b7c-9d0e-8f5b8d8d3f11';
const HOUR_S = 3600;

/** How pg-boss treats jobs that nobody settled: a crashed worker's come back after the heartbeat, a few times. */
const CRASH_POLICY = {
  notify: true,
  retryLimit: 5,
  retryDelay: 1,
  heartbeatSeconds: 10,
  expireInSeconds: 600,
  deleteAfterSeconds: 24 * HOUR_S,
  retentionSeconds: 48 * HOUR_S,
};

const WORKERS = {
  perJobResults: true,
  batchSize: 20,
  localConcurrency: 4,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 60, // They are woken where something is due (see `due-jobs.ts`).
} as const;

/** A queue in the database, and the function that starts its workers once the engine runs. */
export function createQueue<Data extends object>(
  store: Pick<Store, 'query' | 'ask'>,
  { name, schema, work, onError }: QueueOptions<Data>,
): Queue<Data> & { start(boss: PgBoss): Promise<void> } {
  const deadName = `${name}-dead`;
  const rowSchema = z.object({ key: z.string(), data: schema });
  const idOf = (key: string) => uuidv5(`${name} ${key}`, NAMESPACE);

  const hasPlace = createPlaces(async () => {
    const [row] = await store.query<{ count: string }>(
      `select count(*) from (select from pgboss.job where name = $1 and ${WAITS} limit ${MAX_WAITING}) waiting`,
      [name],
    );
    return Number(row?.count);
  });

  /** One statement for both tables, since a job that is done moves from one to the other. */
  async function readRow(key: string): Promise<{ data: unknown } | undefined> {
    const rows = await store.query<{ data: unknown }>(
      `select data from pgboss.job where name = $1 and id = $2
       union all select data from bot.job_key where id = $2`,
      [name, idOf(key)],
    );
    return rows[0];
  }

  async function send(key: string, data: Data, afterMs: number): Promise<'put' | 'known'> {
    const options = { id: idOf(key), startAfter: new Date(Date.now() + afterMs) };
    const id = await store.ask((boss) => boss.send(name, { key, data }, options));
    return id === null ? 'known' : 'put';
  }

  async function sendOnce(key: string, data: Data, afterMs: number): Promise<void> {
    if ((await readRow(key)) === undefined) await send(key, data, afterMs);
  }

  async function settleOne(job: { id: string; data: unknown }): Promise<JobResult> {
    const row = rowSchema.safeParse(job.data);
    if (!row.success)
      return { id: job.id, status: 'deadletter', output: { reason: 'its data has another form' } };
    try {
      const outcome = await work(row.data.data, row.data.key);
      switch (outcome.kind) {
        case 'done':
          return { id: job.id, status: 'completed' };
        case 'dead':
          return { id: job.id, status: 'deadletter', output: { reason: outcome.reason } };
        case 'again':
          // The next one is put before this one is settled; its key comes from this one's, so a crash between makes no two.
          await sendOnce(`${job.id} again`, outcome.data, outcome.afterMs);
          return { id: job.id, status: 'completed' };
      }
    } catch (error) {
      onError(error);
      return { id: job.id, status: 'failed', output: { reason: 'a fault of the bot; see its log' } };
    }
  }

  return {
    async start(boss) {
      await boss.createQueue(deadName, { retentionSeconds: 14 * 24 * HOUR_S, deleteAfterSeconds: HOUR_S });
      await boss.createQueue(name, { ...CRASH_POLICY, deadLetter: deadName });
      await boss.work(name, WORKERS, (jobs) => Promise.all(jobs.map(settleOne)));
    },
    async put(key, data, afterMs = 0) {
      if ((await readRow(key)) !== undefined) return 'known';
      return (await hasPlace()) ? send(key, data, afterMs) : 'full';
    },
    has: async (key) => (await readRow(key)) !== undefined,
    async find(key) {
      const row = await readRow(key);
      return row && rowSchema.safeParse(row.data).data?.data;
    },
    async defer(keys, afterMs) {
      await store.query(
        `update pgboss.job set start_after = $3 where name = $1 and id = any($2::uuid[]) and state < 'active'`,
        [name, keys.map(idOf), new Date(Date.now() + afterMs)],
      );
    },
    async settle(key) {
      await store.ask((boss) => boss.complete(name, idOf(key), null, { includeQueued: true }));
    },
    async count() {
      const rows = await store.query<{ name: string; count: string }>(
        `select name, count(*) from pgboss.job where name in ($1, $2) and ${WAITS} group by name`,
        [name, deadName],
      );
      const of = (each: string) => Number(rows.find((row) => row.name === each)?.count ?? 0);
      return { waiting: of(name), dead: of(deadName) };
    },
    async listDead(limit) {
      const rows = await store.query<{ data: unknown; created_on: Date }>(
        `select data, created_on from pgboss.job where name = $1 and ${WAITS} order by priority desc, created_on limit $2`,
        [deadName, limit],
      );
      return rows.flatMap(({ data, created_on }) => {
        const row = rowSchema.safeParse(data);
        return row.success ? [{ data: row.data.data, at: created_on }] : [];
      });
    },
    async emptyDead(renew) {
      const rows = await store.query<{ id: string; data: unknown }>(
        `select id, data from pgboss.job where name = $1 and ${WAITS} order by priority desc, created_on limit ${MAX_WAITING}`,
        [deadName],
      );
      for (const { id, data } of rows) {
        const row = rowSchema.safeParse(data);
        const renewed = row.success ? renew(row.data.data) : undefined;
        if (renewed !== undefined) await sendOnce(`${id} renewed`, renewed, 0);
        await store.ask((boss) => boss.deleteJob(deadName, id));
      }
      return rows.length;
    },
  };
}

/** Gives a place to each who asks, as long as there is one; what waits is counted once a second, not for each. */
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
