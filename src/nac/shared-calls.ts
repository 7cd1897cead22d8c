import { createTurns, type Turns } from './fair-queue.ts';

/** Stands in front of the NAC, which is slow and fragile. */
export type Guard<T> = {
  /**
   * Runs one call to the NAC.
   * @param key what is asked, under which credentials: equal ones under way at the same time share one call
   * @param person whose turn it takes while it waits for a place
   * @returns the call's outcome, or `busy` where too many wait already
   */
  run(key: string, person: string, call: () => Promise<T>): Promise<T | Busy>;
  counts: Turns['counts'];
};

/** Not asked: so many wait that the answer would come too late to be of use. */
export type Busy = { kind: 'busy' };

/** The most lookups that wait for a place; what a minute's limit lets through stays well below. */
const MOST_WAITING = 5000;

/** At most `concurrency` calls run at once. */
export function createGuard<T>({ concurrency }: { concurrency: number }): Guard<T> {
  const turns = createTurns(concurrency);
  // No Map: V8 links each table that one has outgrown to the next, and by those links the outcomes of calls long done outlive
  // every collection but the full ones.
  const inFlight: Record<string, Promise<T>> = Object.create(null);

  return {
    counts: turns.counts,
    run(key, person, call) {
      const shared = inFlight[key];
      if (shared) return shared;
      if (turns.counts().waiting >= MOST_WAITING) return Promise.resolve({ kind: 'busy' });
      const running = turns.take(person, call).finally(() => delete inFlight[key]);
      inFlight[key] = running;
      return running;
    },
  };
}
