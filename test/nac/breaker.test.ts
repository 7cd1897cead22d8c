import { describe, expect, it } from 'vitest';
import { createBreaker, type Health } from '../../src/nac/breaker.ts';

describe('createBreaker', () => {
  it('opens after five failures in a row, and makes no call for 5 s', async () => {
    const { fail, ask, calls } = stage();
    await fail(5);
    expect(await ask()).toEqual({ kind: 'paused', until: 5000 });
    expect(calls()).toBe(5);
  });

  it('begins to count anew after an answer', async () => {
    const { fail, succeed, ask, calls } = stage();
    await fail(4);
    await succeed();
    await fail(4);
    expect(await ask()).toBe('well');
    expect(calls()).toBe(10);
  });

  it('tries once after the pause, and doubles it to 300 s with each try that fails', async () => {
    const { fail, breaker, clock } = stage();
    await fail(5);
    const pauses: number[] = [];
    for (let round = 0; round < 8; round++) {
      const until = breaker.until() ?? 0;
      pauses.push((until - clock.now) / 1000);
      clock.now = until;
      await fail(1);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('closes when the try after a pause is answered, and then pauses for 5 s again', async () => {
    const { fail, succeed, breaker, clock } = stage();
    await fail(5);
    clock.now = 5000;
    await fail(1);
    clock.now = 15_000;
    await succeed();
    expect(breaker.until()).toBeUndefined();
    await fail(5);
    expect(breaker.until()).toBe(20_000);
  });

  it('lets one call alone try after a pause', async () => {
    const { fail, breaker, clock } = stage();
    await fail(5);
    clock.now = 5000;
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = breaker.guard('device', () => promise, judge);
    expect(await breaker.guard('device', async () => 'well', judge)).toMatchObject({ kind: 'paused' });
    resolve('well');
    expect(await first).toBe('well');
    expect(await breaker.guard('device', async () => 'well', judge)).toBe('well');
  });

  it('lets another call try after one that threw', async () => {
    const { fail, ask, breaker, clock } = stage();
    await fail(5);
    clock.now = 5000;
    await expect(breaker.guard('device', () => Promise.reject(new Error('bug')), judge)).rejects.toThrow(
      'bug',
    );
    expect(await ask()).toBe('well');
  });

  it('does not count calls that were in flight when it opened', async () => {
    const { fail, breaker, clock } = stage();
    const { promise, resolve } = Promise.withResolvers<string>();
    const late = [0, 1, 2].map(() => breaker.guard('device', () => promise, judge));
    await fail(5);
    resolve('failed');
    await Promise.all(late);
    expect(breaker.until()).toBe(clock.now + 5000);
  });

  it('does not count a slow call that began before it opened and fails after it closed', async () => {
    const { fail, succeed, breaker, clock } = stage();
    const { promise, resolve } = Promise.withResolvers<string>();
    const late = Array.from({ length: 5 }, () => breaker.guard('device', () => promise, judge));
    await fail(5);
    clock.now = 5000;
    await succeed();
    resolve('failed');
    await Promise.all(late);
    expect(breaker.until()).toBeUndefined();
  });

  it('stays closed however often the system fails for one device, or for two', async () => {
    const { ask, breaker } = stage();
    for (let time = 0; time < 7; time++) await ask('ailing', time % 2 === 0 ? 'one' : 'two');
    expect(breaker.until()).toBeUndefined();
  });

  it('opens after five failures that three devices share', async () => {
    const { ask, breaker } = stage();
    for (const device of ['one', 'two', 'one', 'two', 'three']) await ask('ailing', device);
    expect(breaker.until()).toBe(5000);
  });

  it('neither closes nor doubles the pause when a device that failed before fails as the probe', async () => {
    const { ask, breaker, clock, calls } = stage();
    for (const device of ['one', 'two', 'three', 'four', 'five']) await ask('ailing', device);
    clock.now = 5000;
    await ask('ailing', 'one');
    expect(breaker.until()).toBeUndefined();
    expect(await ask('well', 'six')).toBe('well');
    expect(calls()).toBe(7);
  });
});

const judge = (outcome: string): Health =>
  outcome === 'failed' ? 'down' : outcome === 'ailing' ? 'ailing' : 'well';

function stage() {
  const clock = { now: 0 };
  const breaker = createBreaker(() => clock.now);
  let calls = 0;
  const ask = (outcome = 'well', subject = 'device') =>
    breaker.guard(
      subject,
      async () => {
        calls++;
        return outcome;
      },
      judge,
    );
  return {
    clock,
    breaker,
    ask,
    calls: () => calls,
    succeed: () => ask(),
    async fail(times: number) {
      for (let time = 0; time < times; time++) await ask('failed');
    },
  };
}
