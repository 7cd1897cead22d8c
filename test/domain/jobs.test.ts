import { describe, expect, it } from 'vitest';
import {
  type JobCounts,
  type JobOutcome,
  type Settlement,
  settleAfterWork,
  settleBeforeWork,
  settleUnreadable,
} from '../../src/domain/jobs.ts';

const HOUR_MS = 3_600_000;
const DAMAGED = 'its row is damaged, or another release of the bot wrote it';

const counts = (some: Partial<JobCounts> = {}): JobCounts => ({ deaths: 0, faults: 0, age: 0, ...some });
const dead = (reason: string) => ({ kind: 'dead', reason });
const again = (afterMs: number, faults: number) => ({ kind: 'again', afterMs, faults });

describe('a job that cannot be read', () => {
  it.each([
    ['newer', counts(), again(60_000, 0)],
    ['newer', counts({ age: 24 * HOUR_MS - 1, faults: 3, deaths: 30 }), again(60_000, 3)],
    ['newer', counts({ age: 24 * HOUR_MS }), dead('another release of the bot wrote it')],
    ['damaged', counts(), dead(DAMAGED)],
    ['damaged', counts({ age: 25 * HOUR_MS, faults: 4 }), dead(DAMAGED)],
  ] as const)('%s, %o', (row, job, settlement) => expect(settleUnreadable(row, job)).toEqual(settlement));
});

describe('a job that can be read', () => {
  it.each([
    [0, undefined],
    [19, undefined],
    [20, dead('20 processes died while it was under way')],
    [21, dead('20 processes died while it was under way')],
  ])('after %i deaths of its process', (deaths, settlement) =>
    expect(settleBeforeWork(counts({ deaths, faults: 4, age: 99 * HOUR_MS }))).toEqual(settlement),
  );
});

describe('a job after its work', () => {
  type Outcome = JobOutcome<string> | { kind: 'fault'; pauseMs: number };
  it.each<[Outcome, faults: number, Settlement<string>]>([
    [{ kind: 'done' }, 4, { kind: 'done' }],
    [{ kind: 'dead', reason: 'gone' }, 0, { kind: 'dead', reason: 'gone' }],
    [{ kind: 'again', data: 'new', afterMs: 7 }, 4, { kind: 'again', data: 'new', afterMs: 7, faults: 0 }],
    [{ kind: 'fault', pauseMs: 50 }, 0, { kind: 'again', afterMs: 50, faults: 1 }],
    [{ kind: 'fault', pauseMs: 50 }, 3, { kind: 'again', afterMs: 50, faults: 4 }],
    [{ kind: 'fault', pauseMs: 50 }, 4, { kind: 'dead', reason: 'the bot failed 5 times; see its log' }],
  ])('%o, after %i faults', (outcome, faults, settlement) =>
    expect(settleAfterWork(counts({ faults }), outcome)).toEqual(settlement),
  );
});
