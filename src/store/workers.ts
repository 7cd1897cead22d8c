import { setTimeout as delay } from 'node:timers/promises';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { backoffMs } from '../time/backoff.ts';
import { endsWithin } from '../time/within.ts';
import type { Job, JobRows } from './job-rows.ts';
import type { Query } from './sql.ts';

/** What a worker made of a job. */
export type JobOutcome<Data> =
  | { kind: 'done' }
  /** To be tried again with this data after this long. */
  | { kind: 'again'; data: Data; afterMs: number }
  /** Given up: kept among the dead letters, and told. */
  | { kind: 'dead'; reason: string };

/** Works on one job. An exception is a bug: the job is tried five times and then given up. */
export type Work<Data> = (data: Data, key: string) => Promise<JobOutcome<Data>>;

/** A job that was given up. `data` can have any form, for nothing may be able to read the job. */
export type DeadJob = { key: string | undefined; data: unknown; reason: string };

/** Who works on the jobs of a queue, and who tells those that wait for a job which was given up. */
export type Worker<Data> = { work: Work<Data>; onDead(job: DeadJob): Promise<void> };

/** The workers of one queue. */
export type Workers = {
  name: string;
  /** Looks for jobs that are due. */
  wake(): void;
  /** Takes no more jobs, and lets those under way end for at most this long. The rest goes back; no try is spent. */
  stop(withinMs: number): Promise<void>;
};

export type WorkersOptions<Data> = {
  boss: PgBoss;
  query: Query;
  name: string;
  deadName: string;
  rows: JobRows<Data>;
  worker: Worker<Data>;
  onError(error: unknown): void;
};

/** How many jobs of one queue are under way at once, and how many one statement fetches. */
const PLACES = 80;
const BATCH = 20;

/** Twice within the heartbeat after which a job counts as left by a dead process. */
const TOUCH_EVERY_MS = 4000;

/** A job that was under way when so many processes died likely killed them. */
const MOST_DEATHS = 20;

const MOST_FAULTS = 5;
const FAULT_BACKOFF = { firstMs: 1000, mostMs: 60_000 };

/** A newer release may take its job in the meantime. */
const ANOTHER_RELEASE_AFTER_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

const SETTLE_AGAIN_MS = 1000;

type Row = Pick<JobWithMetadata<unknown>, 'id' | 'data' | 'retryCount' | 'createdOn'>;

/**
 * Takes the jobs of one queue as they fall due. Each job is settled when its work ends, and its place is free at once. A
 * statement that settles a job is repeated until the database takes it.
 */
export function startWorkers<Data>(options: WorkersOptions<Data>): Workers {
  const { boss, query, name, onError } = options;
  const underWay = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let looking: Promise<void> | undefined;
  let mayBeMore = false;

  const touching = setInterval(() => {
    if (underWay.size > 0) boss.touch(name, [...underWay.keys()]).catch(onError);
  }, TOUCH_EVERY_MS);

  function wake(): void {
    mayBeMore = true;
    looking ??= look()
      .catch(onError)
      .finally(() => {
        looking = undefined;
      });
  }

  async function look(): Promise<void> {
    while (mayBeMore && underWay.size < PLACES && !stopping.signal.aborted) {
      mayBeMore = false;
      const batchSize = Math.min(BATCH, PLACES - underWay.size);
      const jobs = await boss.fetch<unknown>(name, { batchSize, includeMetadata: true });
      if (jobs.length === batchSize) mayBeMore = true;
      if (stopping.signal.aborted) return void (await query(PUT_BACK, [name, jobs.map(({ id }) => id)]));
      for (const job of jobs) begin(job);
    }
  }

  /** A job that is under way here was fetched again because its heartbeat came late. */
  function begin(job: Row): void {
    if (underWay.has(job.id)) return;
    const end = settle(job, options, stopping.signal).finally(() => {
      underWay.delete(job.id);
      if (mayBeMore) wake();
    });
    underWay.set(job.id, end);
  }

  wake();
  return {
    name,
    wake,
    async stop(withinMs) {
      stopping.abort();
      await looking;
      await endsWithin(Promise.all(underWay.values()), withinMs);
      clearInterval(touching);
      if (underWay.size > 0) await query(PUT_BACK, [name, [...underWay.keys()]]);
    },
  };
}

/** Without a start time, the next fetch counts no try. */
const PUT_BACK = `update pgboss.job set state = 'created', started_on = null, heartbeat_on = null, start_after = now()
  where name = $1 and id = any($2::uuid[]) and state = 'active'`;

/** Works on a job, and settles it as often as it takes the database to take that. Never rejects. */
async function settle<Data>(row: Row, options: WorkersOptions<Data>, signal: AbortSignal): Promise<void> {
  const settled = await outcomeOf(row, options);
  while (true) {
    try {
      return await settled();
    } catch (error) {
      options.onError(error);
      if (signal.aborted) return;
      await delay(SETTLE_AGAIN_MS, undefined, { ref: false });
    }
  }
}

/** Works on a job. Returns what settles the job. */
async function outcomeOf<Data>(row: Row, options: WorkersOptions<Data>): Promise<() => Promise<void>> {
  const { boss, name, rows, worker, onError } = options;
  const job = rows.parse(row.data);
  const giveUp = (reason: string) => () => bury(row, reason, options);
  if (job === 'newer' && Date.now() - row.createdOn.getTime() < DAY_MS)
    return () => putOff(row, ANOTHER_RELEASE_AFTER_MS, options);
  if (job === undefined || job === 'newer') return giveUp('another release of the bot wrote it');
  if (row.retryCount >= MOST_DEATHS) return giveUp(`${MOST_DEATHS} processes died while it was under way`);

  const complete = async () => void (await boss.complete(name, row.id));
  /** The next job is put before this one is settled. Its key comes from this one's id, so a crash between makes no two. */
  const again = (next: Job<Data>, afterMs: number) => async () => {
    await rows.sendOnce(`${row.id} again`, next, afterMs);
    await complete();
  };
  try {
    const outcome = await worker.work(job.data, job.key);
    switch (outcome.kind) {
      case 'done':
        return complete;
      case 'dead':
        return giveUp(outcome.reason);
      case 'again':
        return again({ key: job.key, data: outcome.data }, outcome.afterMs);
    }
  } catch (error) {
    onError(error);
    const faults = (job.faults ?? 0) + 1;
    if (faults >= MOST_FAULTS) return giveUp(`the bot failed ${MOST_FAULTS} times; see its log`);
    return again({ ...job, faults }, backoffMs(faults, FAULT_BACKOFF));
  }
}

/** Keeps a job among the dead letters and has it told. A crash on the way tells it twice rather than never. */
async function bury<Data>(row: Row, reason: string, options: WorkersOptions<Data>): Promise<void> {
  const { boss, name, deadName, rows, worker } = options;
  const content = { key: undefined, data: undefined, ...(row.data as object | null) };
  await boss.send(deadName, { ...content, reason }, { id: rows.idOf(`${row.id} dead`) });
  const { key, data } = content;
  await worker.onDead({ key: typeof key === 'string' ? key : undefined, data, reason });
  await boss.complete(name, row.id);
}

async function putOff<Data>({ id }: Row, ms: number, { query, name }: WorkersOptions<Data>): Promise<void> {
  await query(PUT_BACK, [name, [id]]);
  const startAfter = new Date(Date.now() + ms);
  await query('update pgboss.job set start_after = $3 where name = $1 and id = $2', [name, id, startAfter]);
}
