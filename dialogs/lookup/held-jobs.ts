import type { Queue } from '../../src/domain/jobs.ts';

export type HeldJobs = {
  /** Defers a waiting job until the work on it has ended. The work must not fail. */
  hold(key: string, work: Promise<void>): void;
  /** The work on a held job; undefined if this process does not hold it. */
  find(key: string): Promise<void> | undefined;
};

/**
 * Defers all held jobs in one call, three times in `holdMs`. A job comes up only if this process dies.
 * @param holdMs how long a job is deferred
 */
export function createHeldJobs(
  jobs: Pick<Queue<never>, 'defer'>,
  onError: (error: unknown) => void,
  holdMs: number,
): HeldJobs {
  const held = new Map<string, Promise<void>>();
  let renewing: NodeJS.Timeout | undefined;

  function renew(): void {
    jobs.defer([...held.keys()], holdMs).catch(onError);
  }

  return {
    hold(key, work) {
      renewing ??= setInterval(renew, holdMs / 3);
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
