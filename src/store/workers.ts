import type { JobResult, PgBoss } from 'pg-boss';
import type { JobRows } from './job-rows.ts';

/** The outcome of a job. */
export type JobOutcome<Data> =
  | { kind: 'done' }
  /** The job is tried again with this data after `afterMs`. */
  | { kind: 'again'; data: Data; afterMs: number }
  /** The job is given up and kept among the dead letters, with the reason. */
  | { kind: 'dead'; reason: string };

/** Works on one job. An exception is a bug: the job is tried again a few times and then given up. */
export type Work<Data> = (data: Data, key: string) => Promise<JobOutcome<Data>>;

const WORKERS = {
  perJobResults: true,
  batchSize: 20,
  localConcurrency: 4,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 60, // `due-jobs.ts` wakes the workers when a job is due.
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
      return { id, status: 'deadletter', output: { reason: 'the data of the job has another form' } };
    try {
      const outcome = await work(job.data, job.key);
      switch (outcome.kind) {
        case 'done':
          return { id, status: 'completed' };
        case 'dead':
          return { id, status: 'deadletter', output: { reason: outcome.reason } };
        case 'again':
          // The next job is put before this job is settled. Its key derives from this job's id, so a crash makes no two.
          await rows.sendOnce(`${id} again`, outcome.data, outcome.afterMs);
          return { id, status: 'completed' };
      }
    } catch (error) {
      onError(error);
      return { id, status: 'failed', output: { reason: 'the bot failed; see its log' } };
    }
  }

  await boss.work(name, WORKERS, (jobs) => Promise.all(jobs.map(settle)));
}
