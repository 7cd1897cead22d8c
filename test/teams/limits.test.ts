import { beforeEach, expect, it } from 'vitest';
import type { Limits } from '../../dialogs/dialog.ts';
import { createAlertLimit, createLimits } from '../../src/teams/limits.ts';

let time: number;
let limited: number;
let limits: Limits;
beforeEach(() => {
  [time, limited] = [0, 0];
  limits = createLimits(
    () => time,
    () => limited++,
  );
});

it('a person may ask for 30 addresses a minute from the first; what was refused does not count', () => {
  expect([limits.take('alex', 20), limits.take('alex', 20), limits.take('alex', 10)]).toEqual([0, 60_000, 0]);
  expect(limits.take('patti', 1)).toBe(0);
  time = 15_000;
  expect(limits.take('alex', 1)).toBe(45_000);
  time = 60_000;
  expect(limits.take('alex', 30)).toBe(0);
  expect(limited).toBe(2);
});

it('a question for the time to wait counts nothing', () => {
  limits.take('alex', 20);
  time = 15_000;
  expect([10, 10, 11].map((amount) => limits.waitFor('alex', amount))).toEqual([0, 0, 45_000]);
  expect(limits.take('alex', 10)).toBe(0);
});

it('a person may send 120 messages a minute, whatever they say', () => {
  for (let message = 0; message < 120; message++) expect(limits.takeMessage('alex')).toBe(0);
  expect([limits.takeMessage('alex'), limits.takeMessage('patti')]).toEqual([60_000, 0]);
});

it('all alerts together may bring 600 addresses a minute', () => {
  const take = createAlertLimit(() => time);
  expect([take(600), take(1)]).toEqual([0, 60_000]);
});
