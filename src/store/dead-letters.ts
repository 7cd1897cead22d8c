import type { JobRows } from './job-rows.ts';
import { WAITS } from './sql.ts';
import type { Store } from './store.ts';

/** The jobs of one queue that were given up. */
export type DeadLetters<Data> = {
  /** The oldest dead letters. */
  listDead(limit: number): Promise<ReadonlyArray<{ data: Data; at: Date }>>;
  /** Puts every dead letter back as `renew` returns it; drops it if that is undefined. @returns how many there were */
  emptyDead(renew: (data: Data) => Data | undefined): Promise<number>;
};

/** The most dead letters that one call empties. */
const MOST_EMPTIED = 10_000;

export function createDeadLetters<Data>(
  store: Pick<Store, 'query' | 'ask'>,
  name: string,
  rows: JobRows<Data>,
): DeadLetters<Data> {
  const read = (limit: number) =>
    store.query<{ id: string; data: unknown; created_on: Date }>(
      `select id, data, created_on from pgboss.job
       where name = $1 and ${WAITS} order by priority desc, created_on limit $2`,
      [name, limit],
    );
  return {
    async listDead(limit) {
      return (await read(limit)).flatMap(({ data, created_on }) => {
        const job = rows.parse(data);
        return job ? [{ data: job.data, at: created_on }] : [];
      });
    },
    async emptyDead(renew) {
      const letters = await read(MOST_EMPTIED);
      for (const { id, data } of letters) {
        const job = rows.parse(data);
        const renewed = job && renew(job.data);
        if (renewed !== undefined) await rows.sendOnce(`${id} renewed`, renewed, 0);
        await store.ask((boss) => boss.deleteJob(name, id));
      }
      return letters.length;
    },
  };
}
