import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHeldJobs } from '../../../dialogs/lookup/kept-lookups.ts';

const HOLD_MS = 15_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function stage(defer = vi.fn(async (_keys: readonly string[], _afterMs: number) => {})) {
  const errors: unknown[] = [];
  const held = createHeldJobs({ defer }, (error) => errors.push(error), HOLD_MS);
  const hold = (key: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.hold(key, promise);
    return async () => {
      resolve();
      await held.find(key);
    };
  };
  return { held, hold, defer, errors };
}

describe('held jobs', () => {
  it('are deferred together every 5 seconds while there is work', async () => {
    const { hold, defer } = stage();
    const endOne = hold('one');
    await vi.advanceTimersByTimeAsync(3000);
    const endTwo = hold('two');
    await vi.advanceTimersByTimeAsync(2000);
    expect(defer.mock.calls).toEqual([[['one', 'two'], HOLD_MS]]);
    await endOne();
    await vi.advanceTimersByTimeAsync(5000);
    expect(defer.mock.calls.slice(1)).toEqual([[['two'], HOLD_MS]]);
    await endTwo();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are deferred again when new jobs come after all have ended', async () => {
    const { hold, defer } = stage();
    await hold('one')();
    await vi.advanceTimersByTimeAsync(60_000);
    hold('two');
    await vi.advanceTimersByTimeAsync(5000);
    expect(defer.mock.calls).toEqual([[['two'], HOLD_MS]]);
  });

  it('are found until their work has ended', async () => {
    const { held, hold } = stage();
    const end = hold('one');
    expect(held.find('one')).toBeInstanceOf(Promise);
    await end();
    expect(held.find('one')).toBeUndefined();
  });

  it('are deferred the next time if the database fails', async () => {
    const away = new Error('away');
    const defer = vi.fn(async (_keys: readonly string[], _afterMs: number) => {});
    defer.mockRejectedValueOnce(away);
    const { hold, errors } = stage(defer);
    hold('one');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(errors).toEqual([away]);
    expect(defer).toHaveBeenCalledTimes(2);
  });
});
