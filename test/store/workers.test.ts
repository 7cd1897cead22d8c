import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { repeat } from '../../src/store/workers.ts';

/** A task that is repeated until `stop`, and its failures that were told. */
function start(everyMs: number, task: () => Promise<void>) {
  const told: unknown[] = [];
  const stopping = new AbortController();
  const onError = (error: unknown) => told.push(error);
  const ended = repeat(everyMs, task, { onError, signal: stopping.signal });
  return { told, ended, stop: () => stopping.abort() };
}

describe('a repeated task', () => {
  it('runs at once, goes on after a failure, which is told, and ends with its pause', async () => {
    const task = vi.fn(async () => {}).mockRejectedValueOnce(new Error('away'));
    const { told, stop, ended } = start(1, task);
    expect(task).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => expect(task.mock.calls.length).toBeGreaterThan(3));
    stop();
    await ended;
    expect(told).toEqual([new Error('away')]);
  });

  it('does not run again before the pause has passed', async () => {
    const task = vi.fn(async () => {});
    const { stop, ended } = start(3_600_000, task);
    await delay(20);
    stop();
    await ended;
    expect(task).toHaveBeenCalledTimes(1);
  });

  it('finishes its run when stopped, tells no failure of that run, and does not run again', async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    const task = vi.fn(() => promise);
    const { told, stop, ended } = start(1, task);
    stop();
    expect(await Promise.race([ended.then(() => 'ended'), delay(50, 'runs')])).toBe('runs');
    reject(new Error('closed'));
    await ended;
    expect([told, task.mock.calls.length]).toEqual([[], 1]);
  });
});
