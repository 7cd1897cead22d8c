/** Keeps a system that fails from being asked again and again. */
export type Breaker = {
  /**
   * Makes a call, unless the breaker is open. After an opening one call goes first, and no other beside it.
   * @param isFailure whether an outcome shows that the system is failing
   * @returns the outcome, or until when the system is left alone (milliseconds since 1970)
   */
  guard<T>(call: () => Promise<T>, isFailure: (outcome: T) => boolean): Promise<T | Paused>;
  /** Until when the system is left alone; undefined while it is not. */
  until(): number | undefined;
};

export type Paused = { kind: 'paused'; until: number };

const FAILURES_IN_A_ROW = 5;
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;

/** Opens after five failures in a row, for 5 s, doubling to 300 s with each call after it that fails too. */
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
      if (pauseMs > 0) return outcome; // Opened meanwhile: what was under way then counts no more.
      if (!isFailure(outcome)) failures = 0;
      else if (++failures >= FAILURES_IN_A_ROW) open();
      return outcome;
    },
    until: () => (pauseMs > 0 && now() < pausedUntil ? pausedUntil : undefined),
  };
}
