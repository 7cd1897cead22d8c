/** Stops repeated calls to a failing system. */
export type Breaker = {
  /**
   * Makes a call, unless the breaker is open. After a pause, one call goes alone before the others.
   * @param subject what the call asks about
   * @param judge what an outcome says of the system
   * @returns the outcome, or until when calls are paused (milliseconds since 1970)
   */
  guard<T>(subject: string, call: () => Promise<T>, judge: Judge<T>): Promise<T | Paused>;
  /** Until when calls are paused; undefined if they are not. */
  until(): number | undefined;
};

/** `ailing`: the system failed to answer about the call's subject, and may be well for others. */
export type Health = 'well' | 'ailing' | 'down';

type Judge<T> = (outcome: T) => Health;

export type Paused = { kind: 'paused'; until: number };

const FAILURES_IN_A_ROW = 5;
/** A fault of fewer subjects is theirs, not the system's. */
const AILING_SUBJECTS = 3;
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;

/**
 * Opens for 5 s after five failures in a row. `ailing` outcomes count once three subjects have them. Each failed call after a
 * pause doubles the pause, up to 300 s; an `ailing` outcome of a subject that failed before leaves the question to the next
 * call.
 * @param now a clock that is never set back
 */
export function createBreaker(now: () => number): Breaker {
  let down = 0;
  const ailing = new Map<string, number>();
  let pauseMs = 0;
  let pausedUntil = 0;
  let isProbing = false;
  let openings = 0;

  function open(): void {
    pauseMs = Math.min(pauseMs === 0 ? FIRST_PAUSE_MS : pauseMs * 2, LONGEST_PAUSE_MS);
    pausedUntil = now() + pauseMs;
    openings++;
  }

  function close(): void {
    down = 0;
    ailing.clear();
    pauseMs = 0;
  }

  function note(subject: string, health: Health): void {
    if (health === 'well') close();
    else if (health === 'down') down++;
    else ailing.set(subject, (ailing.get(subject) ?? 0) + 1);
    const counted = ailing.size < AILING_SUBJECTS ? 0 : sumOf(ailing.values());
    if (down + counted >= FAILURES_IN_A_ROW) open();
  }

  async function probe<T>(subject: string, call: () => Promise<T>, judge: Judge<T>): Promise<T> {
    isProbing = true;
    try {
      const outcome = await call();
      const health = judge(outcome);
      if (health === 'well') close();
      else if (health === 'down' || !ailing.has(subject)) open();
      return outcome;
    } finally {
      isProbing = false;
    }
  }

  return {
    async guard(subject, call, judge) {
      const isOpen = pauseMs > 0;
      if (isOpen && now() < pausedUntil) return { kind: 'paused', until: pausedUntil };
      if (isOpen && isProbing) return { kind: 'paused', until: now() + pauseMs };
      if (isOpen) return probe(subject, call, judge);
      const openingsBefore = openings;
      const outcome = await call();
      // The breaker opened meanwhile: calls that began before no longer count.
      if (openings === openingsBefore) note(subject, judge(outcome));
      return outcome;
    },
    until: () => (pauseMs > 0 && now() < pausedUntil ? pausedUntil : undefined),
  };
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const each of values) sum += each;
  return sum;
}
