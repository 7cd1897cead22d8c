import type { DeadLetters } from '../../src/domain/jobs.ts';
import type { Format } from '../format/locale.ts';

/** Counts the jobs that wait, and those that were given up. */
type Counted = { count(): Promise<{ waiting: number; dead: number }> };

/** The jobs of one queue as an administrator sees them. */
export type KeptJobs = Counted & {
  /** The oldest jobs that were given up, each in words; foreign text. */
  listDead(limit: number): Promise<ReadonlyArray<{ words: string; at: Date }>>;
  /** Gives all that were given up back, their time begun anew. @returns how many */
  retryDead(): Promise<number>;
  /** Forgets all that were given up. @returns how many */
  dropDead(): Promise<number>;
};

/** The queues, by what people call their jobs. */
export type AllKeptJobs = Readonly<Record<'Posts' | 'Lookups' | 'Answers' | 'Alerts', KeptJobs>>;

export function createKeptJobs<Data extends { firstAt: number; attempt: number }>(
  queue: Counted & DeadLetters<Data>,
  sayJob: (data: Data) => string,
  now: () => number,
): KeptJobs {
  return {
    count: queue.count,
    listDead: async (limit) =>
      (await queue.listDead(limit)).map(({ data, at }) => ({ words: sayJob(data), at })),
    retryDead: () => queue.retryDead((data) => ({ ...data, firstAt: now(), attempt: 0 })),
    dropDead: queue.dropDead,
  };
}

/** How many jobs of one queue wait and were given up. */
export type KeptCount = { name: string; waiting: number; dead: number };

/** Counts each queue's jobs. Throws what the database throws. */
export function readCounts(all: AllKeptJobs): Promise<KeptCount[]> {
  return Promise.all(
    Object.entries(all).map(async ([name, { count }]) => {
      const { waiting, dead } = await count();
      return { name, waiting, dead };
    }),
  );
}

/** A line a queue. Only posts are told of when there are none. */
export function sayCounts(counts: readonly KeptCount[], format: Format): string[] {
  return counts
    .filter(({ name, waiting, dead }) => name === 'Posts' || waiting + dead > 0)
    .map(
      ({ name, waiting, dead }) =>
        `${name}: ${format.number(waiting)} waiting, ${format.number(dead)} given up.`,
    );
}
