import type { JobResult, PgBoss } from 'pg-boss';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
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
   * @returns `known` where a job with this key is or lately was there; `full` where nothing was put
   */
  put(key: string, data: Data, afterMs?: number): Promise<'put' | 'known' | 'full'>;
  /** Whether a job with this key is or lately was there. */
  has(key: string): Promise<boolean>;
  /** The data of the job with this key, as it was put. */
  find(key: string): Promise<Data | undefined>;
  /** Puts a job off that no worker has taken yet. */
  defer(key: string, afterMs: number): Promise<void>;
  /** Settles a job that was done without a worker. */
  settle(key: string): Promise<void>;
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
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 2,
} as const;

/** A queue in the database, and the function that starts its workers once the engine runs. */
export function createQueue<Data extends object>(
  store: Pick<Store, 'query' | 'ask'>,
  { name, schema, work, onError }: QueueOptions<Data>,
): Queue<Data> & { start(boss: PgBoss): Promise<void> } {
  const deadName = `${name}-dead`;
  const rowSchema = z.object({ key: z.string(), data: schema });
  const idOf = (key: string) => uuidv5(`${name} ${key}`, NAMESPACE);

  async function send(key: string, data: Data, afterMs: number): Promise<'put' | 'known'> {
    const options = { id: idOf(key), startAfter: new Date(Date.now() + afterMs) };
    const id = await store.ask((boss) => boss.send(name, { key, data }, options));
    return id === null ? 'known' : 'put';
  }

  async function isFull(): Promise<boolean> {
    const [row] = await store.query<{ count: string }>(
      `select count(*) from (select from pgboss.job where name = $1 and state in ('created', 'retry') limit ${MAX_WAITING}) waiting`,
      [name],
    );
    return Number(row?.count) >= MAX_WAITING;
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
          await send(`${job.id} again`, outcome.data, outcome.afterMs);
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
    put: async (key, data, afterMs = 0) => ((await isFull()) ? 'full' : send(key, data, afterMs)),
    async has(key) {
      const rows = await store.query('select from pgboss.job where name = $1 and id = $2', [name, idOf(key)]);
      return rows.length > 0;
    },
    async find(key) {
      const [row] = await store.query<{ data: unknown }>(
        'select data from pgboss.job where name = $1 and id = $2',
        [name, idOf(key)],
      );
      return row && rowSchema.safeParse(row.data).data?.data;
    },
    async defer(key, afterMs) {
      const changes = { id: idOf(key), startAfter: new Date(Date.now() + afterMs) };
      await store.ask((boss) => boss.update(name, undefined, changes));
    },
    async settle(key) {
      await store.ask((boss) => boss.complete(name, idOf(key), null, { includeQueued: true }));
    },
    async count() {
      const rows = await store.query<{ name: string; count: string }>(
        `select name, count(*) from pgboss.job where name in ($1, $2) and state in ('created', 'retry', 'active') group by name`,
        [name, deadName],
      );
      const of = (each: string) => Number(rows.find((row) => row.name === each)?.count ?? 0);
      return { waiting: of(name), dead: of(deadName) };
    },
    async listDead(limit) {
      const rows = await store.query<{ data: unknown; created_on: Date }>(
        `select data, created_on from pgboss.job where name = $1 and state = 'created' order by created_on limit $2`,
        [deadName, limit],
      );
      return rows.flatMap(({ data, created_on }) => {
        const row = rowSchema.safeParse(data);
        return row.success ? [{ data: row.data.data, at: created_on }] : [];
      });
    },
    async emptyDead(renew) {
      const rows = await store.query<{ id: string; data: unknown }>(
        `select id, data from pgboss.job where name = $1 and state = 'created' order by created_on limit ${MAX_WAITING}`,
        [deadName],
      );
      for (const { id, data } of rows) {
        const row = rowSchema.safeParse(data);
        const renewed = row.success ? renew(row.data.data) : undefined;
        if (renewed !== undefined) await send(`${id} renewed`, renewed, 0);
        await store.ask((boss) => boss.deleteJob(deadName, id));
      }
      return rows.length;
    },
  };
}
