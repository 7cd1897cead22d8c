import { expect, it } from 'vitest';
import { backoffMs } from '../../src/domain/timing.ts';

it.each([
  [0, 0, 500],
  [1, 1, 2000],
  [5, 0.5, 24_000],
  [6, 1, 60_000],
  [5000, 0, 30_000],
])('after failure %i, the random number %d waits %i ms', (attempt, random, ms) =>
  expect(backoffMs(attempt, { firstMs: 1000, maxMs: 60_000 }, random)).toBe(ms),
);
