/** Pauses that double from the first to the longest (milliseconds). */
export type Backoff = { firstMs: number; mostMs: number };

/**
 * Returns how long to wait before the next try, doubling from `firstMs` to `mostMs`. The wait is a random part, half to
 * whole: callers that failed together do not come back together.
 * @param attempt 0 for the wait after the first failure
 */
export function backoffMs(attempt: number, { firstMs, mostMs }: Backoff): number {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(whole * (0.5 + Math.random() / 2));
}
