import { type Repeated, repeat } from '../time/every.ts';
import { type Query, WAITS } from './sql.ts';
import type { Workers } from './workers.ts';

const LOOK_EVERY_MS = 1000;

export type WakingOptions = { workers: readonly Workers[]; query: Query; onError(error: unknown): void };

/**
 * Wakes the workers of each queue in which a job is due: one that was put off, that another process put, or that a dead
 * process left. One look a second for all queues, because a look by each worker kept the embedded database busy.
 */
export function startWaking({ workers, query, onError }: WakingOptions): Repeated {
  const wakeWhereDue = async () => {
    const due = await query<{ name: string }>(
      `select distinct name from pgboss.job where ${WAITS} and start_after <= now()`,
    );
    for (const each of workers) if (due.some(({ name }) => name === each.name)) each.wake();
    return undefined;
  };
  return repeat(LOOK_EVERY_MS, wakeWhereDue, onError);
}
