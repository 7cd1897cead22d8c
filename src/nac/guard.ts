import type { SessionOutcome } from './session-outcome.ts';
import { createTurns } from './turns.ts';

/**
 * Runs one call to the NAC.
 * @param key what is asked, under which credentials: equal ones under way at the same time share one call
 * @param person whose turn it takes while it waits for a place
 */
export type Guard<T> = (key: string, person: string, call: () => Promise<T>) => Promise<T>;

/** Stands in front of the NAC, which is slow and fragile: at most `concurrency` calls run at once. */
export function createGuard<T = SessionOutcome>({ concurrency }: { concurrency: number }): Guard<T> {
  const takeTurn = createTurns(concurrency);
  const inFlight = new Map<string, Promise<T>>();

  return (key, person, call) => {
    const shared = inFlight.get(key);
    if (shared) return shared;
    const running = takeTurn(person, call).finally(() => inFlight.delete(key));
    inFlight.set(key, running);
    return running;
  };
}
