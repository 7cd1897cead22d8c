import type { Queue } from '../../src/store/queues.ts';

/** How long a job is deferred while this process works on it. The job comes up only if this process dies. */
export const HOLD_MS = 15_000;
const HOLD_AGAIN_MS = 5000;

export type HeldJobs = {
  /** Defers a waiting job until the work on it has ended. The work must not fail. */
  hold(key: string, work: Promise<void>): void;
  /** The work on a held job; undefined if this process does not hold it. */
  find(key: string): Promise<void> | undefined;
};

/** Defers all held jobs in one call. */
export function createHeldJobs(
  jobs: Pick<Queue<never>, 'defer'>,
  onError: (error: unknown) => void,
): HeldJobs {
  const held = new Map<string, Promise<void>>();
  let renewing: NodeJS.Timeout | undefined;

  function renew(): void {
    jobs.defer([...held.keys()], HOLD_MS).catch(onError);
  }

  return {
    hold(key, work) {
      renewing ??= setInterval(renew, HOLD_AGAIN_MS);
      const end = work.finally(() => {
        held.delete(key);
        if (held.size > 0) return;
        clearInterval(renewing);
        renewing = undefined;
      });
      held.set(key, end);
    },
    find: (key) => held.get(key),
  };
}
