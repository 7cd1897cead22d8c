import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Queryable } from './connection.ts';
import { createContent } from './content.ts';
import { createJobs } from './jobs.ts';
import { startWorkers, type Worker, type Workers } from './workers.ts';

export const QUEUE_NAMES = ['lookup', 'post', 'reply', 'alert'] as const;

/** The jobs of one queue that were given up. */
export type DeadLetters<Data> = {
  /** The oldest dead letters that can be read. */
  listDead(limit: number): Promise<ReadonlyArray<{ data: Data; at: Date }>>;
  /** Puts every dead letter that can be read back into the queue, with the data that `renew` makes. @returns how many */
  retryDead(renew: (data: Data) => Data): Promise<number>;
  /** Forgets every dead letter. @returns how many there were */
  dropDead(): Promise<number>;
};

/** A job is known until 24 hours after it was done, or 30 days after it was given up. Throws what the store throws. */
export type Queue<Data> = DeadLetters<Data> & {
  /**
   * Puts a job into the database. After a StoreClosedError the job may still be put.
   * @param key what the job is about: equal keys make one job everywhere
   * @returns `known` if a job with this key is known; `full` if nothing was put
   */
  put(key: string, data: Data, afterMs?: number): Promise<'put' | 'known' | 'full'>;
  /** Whether a job with this key is known. */
  has(key: string): Promise<boolean>;
  /** How far the job with this key is; `none` if it is not known. */
  progress(key: string): Promise<'none' | 'waiting' | 'done'>;
  /** Remembers that what a job with this key is about was done without a job. */
  note(key: string, data: Data): Promise<void>;
  /** The data of the job with this key, if it is known. */
  find(key: string): Promise<Data | undefined>;
  /** Gives a job other data, unless a worker has taken it or it is not there. */
  change(key: string, data: Data): Promise<void>;
  /** Postpones those of these jobs that no worker has taken yet. */
  defer(keys: readonly string[], afterMs: number): Promise<void>;
  /** Settles a job that was done without a worker. */
  settle(key: string): Promise<void>;
  /** Counts jobs; a job that a worker has taken is not waiting. `overdue`: the age of the oldest one that is due (milliseconds). */
  count(): Promise<{ waiting: number; dead: number; overdue: number }>;
};

/** A queue whose workers begin when the database is open. */
export type StartableQueue<Data> = Queue<Data> & { start(worker: Worker<Data>): Workers };

export type QueueOptions<Data> = {
  name: (typeof QUEUE_NAMES)[number];
  schema: z.ZodType<Data>;
  onError(error: unknown): void;
};

/** What one call puts back, and how many rows of it at once. */
const MOST_REVIVED = 10_000;
const REVIVED_AT_ONCE = 100;

/** A queue in the database. */
export function createQueue<Data extends object>(
  store: Queryable,
  { name, schema, onError }: QueueOptions<Data>,
): StartableQueue<Data> {
  const jobs = createJobs(store, name);
  const content = createContent(schema);
  const idOf = (key: string) => createHash('sha256').update(`${name} ${key}`).digest('base64url');
  let workers: Workers | undefined;

  async function readDead(limit: number) {
    return (await jobs.dead(limit)).flatMap(({ seq, data, at }) => {
      const job = content.read(data);
      return job.kind === 'job' ? [{ seq, ...job, at: new Date(at) }] : [];
    });
  }

  return {
    start(worker) {
      workers = startWorkers({ name, jobs, content, worker, onError });
      return workers;
    },
    async put(key, data, afterMs = 0) {
      const put = await jobs.put(idOf(key), content.write(key, data), afterMs);
      if (put === 'put' && afterMs === 0) workers?.wake();
      return put;
    },
    has: async (key) => (await jobs.find(idOf(key))) !== undefined,
    async progress(key) {
      const job = await jobs.find(idOf(key));
      if (job === undefined) return 'none';
      return job.state === 'open' ? 'waiting' : 'done';
    },
    note: (key, data) => jobs.note(idOf(key), content.write(key, data)),
    async find(key) {
      const found = await jobs.find(idOf(key));
      const job = found && content.read(found.data);
      return job?.kind === 'job' ? job.data : undefined;
    },
    change: (key, data) => jobs.change(idOf(key), content.write(key, data)),
    defer: (keys, afterMs) => jobs.defer(keys.map(idOf), afterMs),
    settle: (key) => jobs.settle(idOf(key)),
    count: jobs.count,
    async listDead(limit) {
      return (await readDead(limit)).map(({ data, at }) => ({ data, at }));
    },
    async retryDead(renew) {
      const letters = await readDead(MOST_REVIVED);
      for (let from = 0; from < letters.length; from += REVIVED_AT_ONCE) {
        const some = letters.slice(from, from + REVIVED_AT_ONCE);
        await Promise.all(
          some.map(({ seq, key, data }) => jobs.revive(seq, content.write(key, renew(data)))),
        );
      }
      workers?.wake();
      return letters.length;
    },
    dropDead: jobs.drop,
  };
}
