import { expect, it } from 'vitest';
import { endFailed, endUntried } from '../../src/domain/jobs.ts';
import { backoffMs } from '../../src/domain/timing.ts';

const DAY_MS = 24 * 3_600_000;
const TAKEN = { data: 'a', isNewer: false, deaths: 0, faults: 3, ageMs: 0 };
const NEWER = { data: undefined, isNewer: true };
const dead = (reason: string) => ({ kind: 'dead', reason });
const DAMAGED = dead('its row is damaged, or another release of the bot wrote it');

it.each([
  [{}, undefined],
  [NEWER, { kind: 'again', afterMs: 60_000, faults: 3 }],
  [{ ...NEWER, ageMs: DAY_MS }, DAMAGED],
  [{ data: undefined }, DAMAGED],
  [{ deaths: 20 }, dead('20 processes died while it was under way')],
])('a taken job that is %o ends untried: %o', (job, end) =>
  expect(endUntried({ ...TAKEN, ...job })).toEqual(end),
);

it.each([
  [0, false, { kind: 'again', afterMs: 50, faults: 1 }],
  [4, false, dead('the bot failed 5 times; see its log')],
  [4, true, { kind: 'again', afterMs: 1000, faults: 4 }],
])('a job with %i exceptions that throws (database away: %s): %o', (faults, isAway, end) =>
  expect(endFailed(faults, isAway, 50)).toEqual(end),
);

it.each([
  [0, 0, 500],
  [1, 1, 2000],
  [5, 0.5, 24_000],
  [6, 1, 60_000],
  [5000, 0, 30_000],
])('after failure %i, the random number %d waits %i ms', (attempt, random, ms) =>
  expect(backoffMs(attempt, { firstMs: 1000, maxMs: 60_000 }, random)).toBe(ms),
);
