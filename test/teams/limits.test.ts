import { beforeEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../dialogs/dialog.ts';
import { createLimits } from '../../src/teams/limits.ts';

const ALEX = 'alex';

let time: number;
let limits: Limits;
beforeEach(() => {
  time = 0;
  limits = createLimits(() => time);
});

describe('the limits', () => {
  it('let a person ask for 30 addresses a minute, and tell how long to wait for more', () => {
    expect(limits.take(ALEX, 20)).toBe(0);
    expect(limits.take(ALEX, 10)).toBe(0);
    time += 15_000;
    expect(limits.take(ALEX, 1)).toBe(45_000);
    time += 45_000;
    expect(limits.take(ALEX, 1)).toBe(0);
  });

  it('tell how long to wait for more, and count nothing', () => {
    limits.take(ALEX, 20);
    time += 15_000;
    expect([limits.waitFor(ALEX, 10), limits.waitFor(ALEX, 10), limits.waitFor(ALEX, 11)]).toEqual([
      0, 0, 45_000,
    ]);
    expect(limits.take(ALEX, 10)).toBe(0);
  });

  it('count each person apart', () => {
    limits.take(ALEX, 30);
    expect(limits.take(ALEX, 1)).toBeGreaterThan(0);
    expect(limits.take('patti', 1)).toBe(0);
  });

  it('grow no longer by what was refused', () => {
    limits.take(ALEX, 30);
    time += 59_000;
    expect(limits.take(ALEX, 30)).toBe(1000);
    time += 1000;
    expect(limits.take(ALEX, 30)).toBe(0);
  });

  it('do not count what was refused', () => {
    expect(limits.take(ALEX, 20)).toBe(0);
    expect(limits.take(ALEX, 20)).toBe(60_000);
    expect(limits.take(ALEX, 10)).toBe(0);
    expect(limits.take(ALEX, 1)).toBe(60_000);
  });

  it('let a person send 120 messages a minute, whatever they say', () => {
    for (let message = 0; message < 120; message++) expect(limits.takeMessage('alex')).toBe(0);
    expect(limits.takeMessage('alex')).toBe(60_000);
    expect(limits.takeMessage('patti')).toBe(0);
  });
});
