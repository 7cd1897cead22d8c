import type { Queryable } from './connection.ts';

export type FoundJob = { data: string; state: 'open' | 'done' | 'dead' };

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

/** The right of one worker to change a job. It ends with the lease: then no call that names the lease changes anything. */
export type Holding = { seq: number; lease: string };

/** The jobs of one queue as rows. Each call throws what {@link Queryable.query} throws. */
export type Jobs = ReturnType<typeof createJobs>;

/** How long a worker has a job without a sign of life. */
export const LEASE_MS = 12_000;

/** The most jobs that may wait in one queue. */
export const MAX_WAITING = 10_000;

export function createJobs({ query, dialect: { job, now, skipLocked, texts } }: Queryable, queue: string) {
  const waits = `queue = $1 and state = 'open' and lease is null`;
  const held = `seq = $1 and lease = $2 and state = 'open'`;
  const free = 'lease = null, lease_until = null';

  async function find(id: string): Promise<FoundJob | undefined> {
    const [row] = await query<FoundJob>(`select data, state from ${job} where id = $1`, [id]);
    return row;
  }

  return {
    find,
    /** Puts a job, unless one with this id is known or too many wait. */
    async put(id: string, data: string, afterMs: number): Promise<'put' | 'known' | 'full'> {
      const put = await query(
        `insert into ${job} (queue, id, state, data, due, at)
         select cast($1 as text), cast($2 as text), 'open', cast($3 as text), ${now} + cast($4 as bigint), ${now}
         where (select count(*) from (select 1 from ${job} where ${waits} limit ${MAX_WAITING}) waiting) < ${MAX_WAITING}
         on conflict (id) do nothing returning seq`,
        [queue, id, data, Math.round(afterMs)],
      );
      if (put.length > 0) return 'put';
      return (await find(id)) === undefined ? 'full' : 'known';
    },
    /** Notes a job as done that was never put. */
    async note(id: string, data: string): Promise<void> {
      await query(
        `insert into ${job} (queue, id, state, data, due, at) values ($1, $2, 'done', $3, ${now}, ${now})
         on conflict (id) do nothing`,
        [queue, id, data],
      );
    },
    /** Gives a job other data, unless a worker has taken it. */
    async change(id: string, data: string): Promise<void> {
      await query(`update ${job} set data = $3 where ${waits} and id = $2`, [queue, id, data]);
    },
    /** Postpones those of these jobs that no worker has taken. */
    async defer(ids: readonly string[], afterMs: number): Promise<void> {
      await query(
        `update ${job} set due = ${now} + cast($3 as bigint) where ${waits} and id in (${texts('$2')})`,
        [queue, JSON.stringify(ids), Math.round(afterMs)],
      );
    },
    async settle(id: string): Promise<void> {
      await query(`update ${job} set state = 'done', at = ${now}, ${free} where id = $1 and state = 'open'`, [
        id,
      ]);
    },

    /** Takes the jobs that are due, those due first and put first before others. A lease that ran out is a dead process's. */
    async take(lease: string, limit: number): Promise<TakenJob[]> {
      const taken = await query<TakenJob>(
        `with next as materialized (
           select seq from ${job}
           where queue = $1 and state = 'open' and due <= ${now} and (lease_until is null or lease_until <= ${now})
           order by due, seq limit $3 ${skipLocked}
         )
         update ${job} set lease = $2, lease_until = ${now} + ${LEASE_MS},
           deaths = deaths + case when lease is null then 0 else 1 end
         where seq in (select seq from next)
         returning seq, data, due, deaths, faults, ${now} - at as age`,
        [queue, lease, limit],
      );
      return taken.sort((one, other) => one.due - other.due || one.seq - other.seq);
    },
    async renew(leases: readonly string[]): Promise<void> {
      await query(
        `update ${job} set lease_until = ${now} + ${LEASE_MS} where state = 'open' and lease in (${texts('$1')})`,
        [JSON.stringify(leases)],
      );
    },
    async giveBack(leases: readonly string[]): Promise<void> {
      await query(`update ${job} set ${free} where state = 'open' and lease in (${texts('$1')})`, [
        JSON.stringify(leases),
      ]);
    },
    async complete({ seq, lease }: Holding): Promise<void> {
      await query(`update ${job} set state = 'done', at = ${now}, ${free} where ${held}`, [seq, lease]);
    },
    async again({ seq, lease }: Holding, data: string, afterMs: number, faults: number): Promise<void> {
      await query(
        `update ${job} set data = $3, due = ${now} + cast($4 as bigint), faults = $5, deaths = 0, ${free} where ${held}`,
        [seq, lease, data, Math.round(afterMs), faults],
      );
    },
    async giveUp({ seq, lease }: Holding, reason: string): Promise<void> {
      await query(`update ${job} set state = 'dead', reason = $3, at = ${now}, ${free} where ${held}`, [
        seq,
        lease,
        reason,
      ]);
    },

    /** The dead letters, the oldest first. */
    dead(limit: number): Promise<Array<{ seq: number; data: string; at: number }>> {
      return query(
        `select seq, data, at from ${job} where queue = $1 and state = 'dead' order by at, seq limit $2`,
        [queue, limit],
      );
    },
    async revive(seq: number, data: string): Promise<void> {
      await query(
        `update ${job} set state = 'open', data = $2, due = ${now}, at = ${now}, deaths = 0, faults = 0, reason = null
         where seq = $1 and state = 'dead'`,
        [seq, data],
      );
    },
    async drop(): Promise<number> {
      return (await query(`delete from ${job} where queue = $1 and state = 'dead' returning seq`, [queue]))
        .length;
    },
    /** @returns `overdue`: for how long the oldest job has waited that is due (milliseconds) */
    async count(): Promise<{ waiting: number; dead: number; overdue: number }> {
      const [row] = await query<{ waiting: number; dead: number; overdue: number | null }>(
        `select (select count(*) from ${job} where ${waits}) as waiting,
           (select count(*) from ${job} where queue = $1 and state = 'dead') as dead,
           (select ${now} - min(due) from ${job} where ${waits} and due <= ${now}) as overdue`,
        [queue],
      );
      return { waiting: row?.waiting ?? 0, dead: row?.dead ?? 0, overdue: row?.overdue ?? 0 };
    },
  };
}
