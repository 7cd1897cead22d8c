import { expect, it } from 'vitest';
import { type Settlement, settle, type WorkerOutcome } from '../../src/domain/jobs.ts';
import { backoffMs } from '../../src/domain/timing.ts';

const DAY_MS = 24 * 3_600_000;
const DAMAGED = 'its row is damaged, or another release of the bot wrote it';
const AGAIN = { kind: 'again' as const, data: 'b', afterMs: 7 };
const dead = (reason: string) => ({ kind: 'dead' as const, reason });

it.each<[WorkerOutcome<string>, { faults?: number; ageMs?: number }, Settlement<string>]>([
  [{ kind: 'done' }, { faults: 4, ageMs: 99 * DAY_MS }, { kind: 'done' }],
  [dead('gone'), {}, dead('gone')],
  [AGAIN, { faults: 4 }, { ...AGAIN, faults: 0 }],
  [{ kind: 'fault', pauseMs: 50 }, {}, { kind: 'again', afterMs: 50, faults: 1 }],
  [{ kind: 'fault', pauseMs: 50 }, { faults: 3 }, { kind: 'again', afterMs: 50, faults: 4 }],
  [{ kind: 'fault', pauseMs: 50 }, { faults: 4 }, dead('the bot failed 5 times; see its log')],
  [{ kind: 'newer' }, {}, { kind: 'again', afterMs: 60_000, faults: 0 }],
  [{ kind: 'newer' }, { ageMs: DAY_MS - 1, faults: 3 }, { kind: 'again', afterMs: 60_000, faults: 3 }],
  [{ kind: 'newer' }, { ageMs: DAY_MS }, dead('another release of the bot wrote it')],
  [{ kind: 'damaged' }, {}, dead(DAMAGED)],
  [{ kind: 'deadly' }, {}, dead('20 processes died while it was under way')],
])('a job whose outcome is %o, with %o: %o', (outcome, { faults = 0, ageMs = 0 }, settlement) =>
  expect(settle({ deaths: 0, faults, ageMs }, outcome)).toEqual(settlement),
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
