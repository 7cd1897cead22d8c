import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { repeat } from '../../src/store/repeat.ts';

const HOUR_MS = 3_600_000;

describe('a repeated task', () => {
  it('runs at once, and again after the pause that it returns', async () => {
    const task = vi.fn(async () => 1);
    const repeated = repeat(HOUR_MS, task, fail);
    await vi.waitFor(() => expect(task.mock.calls.length).toBeGreaterThan(3));
    await repeated.stop();
  });

  it('runs again after the usual pause if it returns none', async () => {
    const times: number[] = [];
    const note = async () => {
      times.push(performance.now());
      return undefined;
    };
    const repeated = repeat(200, note, fail);
    await vi.waitFor(() => expect(times).toHaveLength(2));
    await repeated.stop();
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(190);
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
    const repeated = repeat(1, task, fail);
    const stopped = repeated.stop();
    expect(await Promise.race([stopped.then(() => 'stopped'), delay(50, 'waits')])).toBe('waits');
    reject(new Error('closed'));
    await stopped;
    expect(task).toHaveBeenCalledTimes(1);
  });
});

function fail(error: unknown): never {
  throw error;
}
