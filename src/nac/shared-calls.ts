import type { Busy } from '../domain/outcome.ts';
import type { Taken, Turns } from './fair-queue.ts';

/** Shields the NAC, which is slow and fragile. */
export type Guard<T> = {
  /**
   * Runs one call to the NAC.
   * @param key the question and its credentials; equal keys in flight share one call
   * @param person who asked; persons take turns while they wait for a place. A shared call has the best of its askers' turns
   * @returns the call's outcome, or `busy` if too many wait already
   */
  run(key: string, person: string, call: () => Promise<T>): Promise<T | Busy>;
};

/** The most lookups that wait for a place. The limits per minute keep the number well below. */
const MOST_WAITING = 5000;

/** @param turns the places for calls; guards of different questions can share them */
export function createGuard<T>(turns: Turns): Guard<T> {
  // Not a Map: V8 links each table that a Map has outgrown to the next. Through these links, old outcomes survive every
  // garbage collection but the full ones.
  const inFlight: Record<string, Taken<T>> = Object.create(null);

  return {
    run(key, person, call) {
      const shared = inFlight[key];
      if (shared) {
        shared.share(person);
        return shared.result;
      }
      if (turns.counts().waiting >= MOST_WAITING) return Promise.resolve({ kind: 'busy' });
      const taken = turns.take(person, call);
      const result = taken.result.finally(() => delete inFlight[key]);
      inFlight[key] = { ...taken, result };
      return result;
    },
  };
}
