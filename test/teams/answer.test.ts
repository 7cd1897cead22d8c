import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTyping } from '../../src/teams/answer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Starts to type; `signs` has the time of each sign, counted from the start. */
function start(show: () => Promise<unknown> = async () => {}) {
  const begun = Date.now();
  const [signs, errors]: [number[], unknown[]] = [[], []];
  const showNow = async () => {
    signs.push(Date.now() - begun);
    await show();
  };
  return { signs, errors, stop: startTyping(showNow, (error) => errors.push(error)) };
}

describe('typing', () => {
  it('is shown after half a second, and again every four seconds', async () => {
    const { signs } = start();
    await vi.advanceTimersByTimeAsync(499);
    expect(signs).toEqual([]);
    await vi.advanceTimersByTimeAsync(12_001);
    expect(signs).toEqual([500, 4500, 8500, 12_500]);
  });

  it.each([
    ['for an answer that comes at once', 499, []],
    ['any more once it has ended, however often it is ended', 5000, [500, 4500]],
  ])('is not shown %s', async (_, ms, times) => {
    const { signs, stop } = start();
    await vi.advanceTimersByTimeAsync(ms);
    await stop();
    await stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([signs, vi.getTimerCount()]).toEqual([times, 0]);
  });

  it('ends when the sign under way has been shown, so that the answer comes after it', async () => {
    const sign = Promise.withResolvers<void>();
    const { stop } = start(() => sign.promise);
    await vi.advanceTimersByTimeAsync(600);
    let hasEnded = false;
    const ended = stop().then(() => {
      hasEnded = true;
    });
    await vi.advanceTimersByTimeAsync(300);
    expect(hasEnded).toBe(false);
    sign.resolve();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not hold the answer up for more than a second', async () => {
    const { signs, stop } = start(() => new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(600);
    const begun = Date.now();
    const ended = stop().then(() => Date.now() - begun);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await ended).toBe(1000);
    expect(signs).toEqual([500]);
  });

  it('goes on where a sign fails, and tells of it', async () => {
    const failure = new Error('the channel is away');
    const { signs, errors, stop } = start(async () => {
      throw failure;
    });
    await vi.advanceTimersByTimeAsync(5000);
    await stop();
    expect(signs).toEqual([500, 4500]);
    expect(errors).toEqual([failure, failure]);
  });
});
