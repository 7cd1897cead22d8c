import type { JobResult, PgBoss } from 'pg-boss';
import type { JobRows } from './job-rows.ts';

/** What a worker made of a job. */
export type JobOutcome<Data> =
  | { kind: 'done' }
  /** To be tried again with this data after this long. */
  | { kind: 'again'; data: Data; afterMs: number }
  /** Given up: kept among the dead letters, with the reason. */
  | { kind: 'dead'; reason: string };

/** Works on one job. An exception is a bug: the job is tried again a few times and then given up. */
export type Work<Data> = (data: Data, key: string) => Promise<JobOutcome<Data>>;

const WORKERS = {
  perJobResults: true,
  batchSize: 20,
  localConcurrency: 4,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 60, // The workers are woken where something is due (see `due-jobs.ts`).
} as const;

export type WorkersOptions<Data> = {
  name: string;
  rows: JobRows<Data>;
  work: Work<Data>;
  onError(error: unknown): void;
};

/** Starts the workers of one queue. */
export async function startWorkers<Data>(
  boss: PgBoss,
  { name, rows, work, onError }: WorkersOptions<Data>,
): Promise<void> {
  async function settle({ id, data: content }: { id: string; data: unknown }): Promise<JobResult> {
    const job = rows.parse(content);
    if (job === undefined)
      return { id, status: 'deadletter', output: { reason: 'its data has another form' } };
    try {
      const outcome = await work(job.data, job.key);
      switch (outcome.kind) {
        case 'done':
          return { id, status: 'completed' };
        case 'dead':
          return { id, status: 'deadletter', output: { reason: outcome.reason } };
        case 'again':
          // The next job is put before this one is settled; its key comes from this one's id, so a crash between makes no two.
          await rows.sendOnce(`${id} again`, outcome.data, outcome.afterMs);
          return { id, status: 'completed' };
      }
    } catch (error) {
      onError(error);
      return { id, status: 'failed', output: { reason: 'a fault of the bot; see its log' } };
    }
  }

  await boss.work(name, WORKERS, (jobs) => Promise.all(jobs.map(settle)));
}
