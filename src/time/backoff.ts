/**
 * How long to wait before the next try: doubling from `firstMs` to `mostMs`, each time a random part between a half and
 * the whole of it, so that many who failed together do not come back together.
 * @param attempt 0 for the wait after the first failure
 */
export function backoffMs(attempt: number, { firstMs, mostMs }: { firstMs: number; mostMs: number }): number {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(whole * (0.5 + Math.random() / 2));
}
