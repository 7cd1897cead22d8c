import { backoffMs } from '../src/time/backoff.ts';

/** How long a NAC that is down is asked again, counted from the question. */
export const ASK_FOR_MS = 10 * 60_000;

/** How long to wait before asking again. @param attempt 0 after the first failure */
export function askAgainAfterMs(attempt: number): number {
  return backoffMs(attempt, { firstMs: 2000, mostMs: 60_000 });
}
