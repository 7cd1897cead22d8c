import type { PgBoss } from 'pg-boss';
import { type Repeated, repeat } from '../time/every.ts';
import type { Query } from './sql.ts';
import { WAITS } from './sql.ts';

const LOOK_EVERY_MS = 1000;

export type WakingOptions = {
  boss: Pick<PgBoss, 'getWipData' | 'notifyWorker'>;
  query: Query;
  onError(error: unknown): void;
};

/**
 * Wakes the workers of each queue in which a job is due: a postponed job, or a job that a dead process left. (The engine
 * announces new jobs itself.) One query a second serves all queues: a query by each worker kept the embedded database busy.
 */
export function startWaking({ boss, query, onError }: WakingOptions): Repeated {
  const wakeWhereDue = async () => {
    const due = await query<{ name: string }>(
      `select distinct name from pgboss.job where ${WAITS} and start_after <= now()`,
    );
    const workers = due.length > 0 ? boss.getWipData() : [];
    for (const { id, name } of workers) if (due.some((queue) => queue.name === name)) boss.notifyWorker(id);
    return undefined;
  };
  return repeat(LOOK_EVERY_MS, wakeWhereDue, onError);
}
