import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { repeat } from '../../src/store/repeat.ts';

const HOUR_MS = 3_600_000;

describe('a repeated task', () => {
  it.each([
    ['that it returns', HOUR_MS, 1],
    ['between runs', 1, undefined],
  ])('runs at once, and again after the pause %s', async (_, everyMs, pauseMs) => {
    const task = vi.fn(async () => pauseMs);
    const repeated = repeat(everyMs, task, fail);
    expect(task).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => expect(task.mock.calls.length).toBeGreaterThan(3));
    await repeated.stop();
  });

  it('does not run again before the pause has passed', async () => {
    const task = vi.fn(async () => undefined);
    const repeated = repeat(HOUR_MS, task, fail);
    await delay(20);
    await repeated.stop();
    expect(task).toHaveBeenCalledTimes(1);
  });

  it('goes on after a failure, which is reported', async () => {
    const task = vi.fn(async () => 1).mockRejectedValueOnce(new Error('away'));
    const told: unknown[] = [];
    const repeated = repeat(1, task, (error) => told.push(error));
    await vi.waitFor(() => expect(task.mock.calls.length).toBeGreaterThan(1));
    await repeated.stop();
    expect(told).toEqual([new Error('away')]);
  });

  it('finishes its run when stopped, reports no failure of that run, and does not run again', async () => {
    const { promise, reject } = Promise.withResolvers<undefined>();
    const task = vi.fn(() => promise);
    const stopped = repeat(1, task, fail).stop();
    expect(await Promise.race([stopped.then(() => 'stopped'), delay(50, 'waits')])).toBe('waits');
    reject(new Error('closed'));
    await stopped;
    expect(task).toHaveBeenCalledTimes(1);
  });
});

function fail(error: unknown): never {
  throw error;
}
