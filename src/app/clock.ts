import type { Clock } from '../domain/timing.ts';

/** The machine's clocks. Nothing else reads them. */
export const systemClock: Clock = {
  now: Date.now,
  steady: () => performance.timeOrigin + performance.now(),
};
