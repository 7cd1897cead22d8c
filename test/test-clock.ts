import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { vi } from 'vitest';
import { systemClock } from '../src/app/start.ts';

// undici keeps its first timer for ever: one of a held clock would let no later connection of this process time out.
createRequire(import.meta.url)('undici/lib/util/timers.js').setFastTimeout(() => {}, 0);

const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const;
const PATIENCE_MS = 45_000;

export type ClockOptions = {
  /** When the clocks begin (ISO 8601). Default: now. */
  at?: string;
  /** Whether clocks and timers stand still until `skip`. */
  holdsTime?: boolean;
};

export type TestClock = ReturnType<typeof createTestClock>;

/** Clocks that begin at a given time, and that a test moves ahead; where they hold time, timers fire by them alone. */
export function createTestClock({ at, holdsTime }: ClockOptions) {
  let ahead = at === undefined ? 0 : Date.parse(at) - systemClock.now();
  if (holdsTime) vi.useFakeTimers({ now: systemClock.now() + ahead, toFake: [...TIMERS] });
  return {
    now: () => (holdsTime ? Date.now() : systemClock.now() + ahead),
    steady: () => (holdsTime ? Date.now() : performance.timeOrigin + systemClock.steady() + ahead),
    async skip(ms: number): Promise<void> {
      if (holdsTime) await vi.advanceTimersByTimeAsync(ms);
      else ahead += ms;
    },
    letGo: () => void (holdsTime && vi.useRealTimers()),
  };
}

/** Repeats a check until it passes. Other than `vi.waitFor`, it does not move time that a clock holds. */
export async function until<T>(check: () => T | Promise<T>): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(5)) {
    try {
      return await check();
    } catch {}
  }
  return check();
}
