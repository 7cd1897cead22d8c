/** Stops repeated calls to a failing system. */
export type Breaker = {
  /**
   * Makes a call, unless the breaker is open. After a pause, one call goes alone before the others.
   * @param isFailure whether an outcome shows that the system is failing
   * @returns the outcome, or until when calls are paused (milliseconds since 1970)
   */
  guard<T>(call: () => Promise<T>, isFailure: (outcome: T) => boolean): Promise<T | Paused>;
  /** Until when calls are paused; undefined if they are not. */
  until(): number | undefined;
};

export type Paused = { kind: 'paused'; until: number };

const FAILURES_IN_A_ROW = 5;
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;

/** Opens for 5 s after five failures in a row. Each failed call after a pause doubles the pause, up to 300 s. */
export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let pauseMs = 0;
  let pausedUntil = 0;
  let isProbing = false;

  function open(): void {
    pauseMs = Math.min(pauseMs === 0 ? FIRST_PAUSE_MS : pauseMs * 2, LONGEST_PAUSE_MS);
    pausedUntil = now() + pauseMs;
  }

  function close(): void {
    failures = 0;
    pauseMs = 0;
  }

  async function probe<T>(call: () => Promise<T>, isFailure: (outcome: T) => boolean): Promise<T> {
    isProbing = true;
    try {
      const outcome = await call();
      if (isFailure(outcome)) open();
      else close();
      return outcome;
    } finally {
      isProbing = false;
    }
  }

  return {
    async guard(call, isFailure) {
      const isOpen = pauseMs > 0;
      if (isOpen && now() < pausedUntil) return { kind: 'paused', until: pausedUntil };
      if (isOpen && isProbing) return { kind: 'paused', until: now() + pauseMs };
      if (isOpen) return probe(call, isFailure);
      const outcome = await call();
      if (pauseMs > 0) return outcome; // The breaker opened meanwhile: earlier calls no longer count.
      if (!isFailure(outcome)) failures = 0;
      else if (++failures >= FAILURES_IN_A_ROW) open();
      return outcome;
    },
    until: () => (pauseMs > 0 && now() < pausedUntil ? pausedUntil : undefined),
  };
}
