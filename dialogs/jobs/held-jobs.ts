import type { Queue } from '../../src/store/queues.ts';

/** A job that is worked on here is put off for so long, so that it comes up only when this process is gone. */
export const HOLD_MS = 15_000;
const HOLD_AGAIN_MS = 5000;

export type HeldJobs = {
  /** Keeps a waiting job from coming up until the work on it, which never fails, has ended. */
  hold(key: string, work: Promise<void>): void;
  /** The work on a job that is held here. */
  find(key: string): Promise<void> | undefined;
};

/** All that is held is put off together. */
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
