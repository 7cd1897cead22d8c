import type { JobRows } from './job-rows.ts';
import type { Queryable } from './sql.ts';
import { WAITS } from './sql.ts';

/** The jobs of one queue that were given up. */
export type DeadLetters<Data> = {
  /** The oldest dead letters that can be read. */
  listDead(limit: number): Promise<ReadonlyArray<{ data: Data; at: Date }>>;
  /** Puts every dead letter that can be read back into the queue, with the data that `renew` makes. @returns how many */
  retryDead(renew: (data: Data) => Data): Promise<number>;
  /** Forgets every dead letter. @returns how many there were */
  dropDead(): Promise<number>;
};

/** What one call puts back. */
const MOST_RETRIED = 10_000;

export function createDeadLetters<Data>(
  store: Queryable,
  name: string,
  rows: JobRows<Data>,
): DeadLetters<Data> {
  async function read(limit: number) {
    const letters = await store.query<{ id: string; data: unknown; created_on: Date }>(
      `select id, data, created_on from pgboss.job
       where name = $1 and ${WAITS} order by priority desc, created_on limit $2`,
      [name, limit],
    );
    return letters.flatMap(({ id, data, created_on }) => {
      const job = rows.parse(data);
      return job && job !== 'newer' ? [{ id, job, at: created_on }] : [];
    });
  }

  return {
    async listDead(limit) {
      return (await read(limit)).map(({ job, at }) => ({ data: job.data, at }));
    },
    async retryDead(renew) {
      const letters = await read(MOST_RETRIED);
      for (const { id, job } of letters) {
        await rows.sendOnce(`${id} renewed`, { key: job.key, data: renew(job.data) }, 0);
        await store.ask((boss) => boss.deleteJob(name, id));
      }
      return letters.length;
    },
    async dropDead() {
      const dropped = await store.query(`delete from pgboss.job where name = $1 and ${WAITS} returning id`, [
        name,
      ]);
      return dropped.length;
    },
  };
}
