import type { Queryable } from './connection.ts';

/** A job that a worker has taken. */
export type TakenJob = {
  seq: number;
  data: string;
  due: number;
  /** How often a process died while it had the job. */
  deaths: number;
  /** How often the work failed by a bug of ours. */
  faults: number;
  /** How long ago the job was put (milliseconds). */
  age: number;
};

/**
 * The right of one worker to change a job. It ends with the lease: then no call that names the lease changes anything.
 * `due`: when the job fell due; a job that was woken since then stays open.
 */
export type Holding = { seq: number; lease: string; due: number };

export type Leases = ReturnType<typeof createLeases>;

/**
 * A worker's way to the jobs of one queue. Each call throws what the store throws.
 * @param leaseMs how long a worker has a job without a sign of life
 */
export function createLeases(
  { query, dialect: { job, now, skipLocked, texts } }: Queryable,
  queue: string,
  leaseMs: number,
) {
  const held = `seq = $1 and lease = $2 and state = 'open'`;
  const free = 'lease = null, lease_until = null';
  return {
    /** Takes jobs that are due, first those that are due first, then those put first. A lease that ran out was a dead process's. */
    async take(lease: string, limit: number): Promise<TakenJob[]> {
      const taken = await query<TakenJob>(
        `with next as materialized (
           select seq from ${job}
           where queue = $1 and state = 'open' and due <= ${now} and (lease_until is null or lease_until <= ${now})
           order by due, seq limit $3 ${skipLocked}
         )
         update ${job} set lease = $2, lease_until = ${now} + ${leaseMs},
           deaths = deaths + case when lease is null then 0 else 1 end
         where seq in (select seq from next)
         returning seq, data, due, deaths, faults, ${now} - at as age`,
        [queue, lease, limit],
      );
      return taken.sort((one, other) => one.due - other.due || one.seq - other.seq);
    },
    async renew(leases: readonly string[]): Promise<void> {
      await query(
        `update ${job} set lease_until = ${now} + ${leaseMs} where state = 'open' and lease in (${texts('$1')})`,
        [JSON.stringify(leases)],
      );
    },
    async giveBack(leases: readonly string[]): Promise<void> {
      const taken = `state = 'open' and lease in (${texts('$1')})`;
      await query(`update ${job} set ${free} where ${taken}`, [JSON.stringify(leases)]);
    },
    async complete({ seq, lease, due }: Holding): Promise<void> {
      await query(
        `update ${job} set state = case when due = $3 then 'done' else 'open' end,
           at = ${now}, deaths = 0, ${free} where ${held}`,
        [seq, lease, due],
      );
    },
    async again({ seq, lease, due }: Holding, data: string, afterMs: number, faults: number): Promise<void> {
      await query(
        `update ${job} set data = $3, due = case when due = $6 then ${now} + cast($4 as bigint) else due end,
           faults = $5, deaths = 0, ${free} where ${held}`,
        [seq, lease, data, Math.round(afterMs), faults, due],
      );
    },
    async giveUp({ seq, lease }: Holding, reason: string): Promise<void> {
      const given = `state = 'dead', reason = $3, at = ${now}, ${free}`;
      await query(`update ${job} set ${given} where ${held}`, [seq, lease, reason]);
    },
  };
}
