import { systemClock } from '../../app/clock.ts';
import type { HttpHeaders, HttpOutcome, Upstream } from '../../http.ts';

/** An upstream that remembers its last answer. */
export type Watched = Upstream & {
  /** The outcome of the last call, and where it went; undefined before the first. */
  last(): { outcome: HttpOutcome; origin: string } | undefined;
  /** How far this machine's clock is ahead, by the last answer with a `Date` (milliseconds); undefined without one. */
  aheadMs(): number | undefined;
};

export function watch(upstream: Upstream): Watched {
  let last: ReturnType<Watched['last']>;
  let aheadMs: number | undefined;
  return {
    ...upstream,
    async call(request) {
      const from = systemClock.now();
      const outcome = await upstream.call(request);
      last = { outcome, origin: request.url.origin };
      if (outcome.kind === 'answered') aheadMs = aheadOf(outcome.headers, from, systemClock.now()) ?? aheadMs;
      return outcome;
    },
    last: () => last,
    aheadMs: () => aheadMs,
  };
}

/**
 * How far this machine's clock is ahead of the answer's `Date`; negative: behind. The `Date` has whole seconds, and can be of
 * any moment between request and answer. `Age` says how long a cache has kept the answer (RFC 9111, section 5.1).
 * @param from when the call began, by this machine's clock; `to`: when its answer was there
 */
export function aheadOf(headers: HttpHeaders, from: number, to: number): number | undefined {
  const date = Date.parse(String(headers.date ?? '')) + (Number(headers.age) || 0) * 1000;
  if (Number.isNaN(date)) return undefined;
  return Math.max(from - (date + 999), 0) + Math.min(to - date, 0);
}
