/** Leaves a call alone that keeps failing. */
export type Tries = {
  /**
   * Makes a call, unless it is left alone. Calls go one by one after the start and after a failure, until one is well.
   * @returns the outcome; undefined if the call was not made
   */
  attempt<T>(call: () => Promise<T>, judge: (outcome: T) => Success): Promise<T | undefined>;
};

/** `unknown`: the call was not made after all, or its outcome says nothing of the other side. */
export type Success = 'well' | 'failed' | 'unknown';

const FAILURES_IN_A_ROW = 3;
const REST_MS = 3_600_000;

/**
 * Leaves a call alone for an hour after three failures in a row, so that a system that does not know the call sees at most
 * three tries an hour. An exception counts as `unknown`.
 * @param now a clock that is never set back
 * @param onLeft told each time that the call is left alone
 */
export function createTries(now: () => number, onLeft: () => void): Tries {
  let failures = 0;
  let isProven = false;
  let leftUntil = Number.NEGATIVE_INFINITY;
  let probe: Promise<void> | undefined;

  function note(success: Success): void {
    // While the call is left alone, outcomes are those of calls that began before.
    if (success === 'unknown' || now() < leftUntil) return;
    isProven = success === 'well';
    failures = isProven ? 0 : failures + 1;
    if (failures < FAILURES_IN_A_ROW) return;
    failures = 0;
    leftUntil = now() + REST_MS;
    onLeft();
  }

  async function make<T>(call: () => Promise<T>, judge: (outcome: T) => Success): Promise<T> {
    const outcome = await call();
    note(judge(outcome));
    return outcome;
  }

  return {
    async attempt(call, judge) {
      while (!isProven && probe) await probe;
      if (now() < leftUntil) return undefined;
      const making = make(call, judge);
      if (isProven) return making;
      probe = making.then(ignore, ignore);
      try {
        return await making;
      } finally {
        probe = undefined;
      }
    },
  };
}

function ignore(): void {}
