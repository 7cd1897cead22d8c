import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../src/nac/breaker.ts';

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
    const first = breaker.guard(() => promise, isFailure);
    expect(await breaker.guard(async () => 'well', isFailure)).toMatchObject({ kind: 'paused' });
    resolve('well');
    expect(await first).toBe('well');
    expect(await breaker.guard(async () => 'well', isFailure)).toBe('well');
  });

  it('lets another call try after one that threw', async () => {
    const { fail, ask, breaker, clock } = stage();
    await fail(5);
    clock.now = 5000;
    await expect(breaker.guard(() => Promise.reject(new Error('bug')), isFailure)).rejects.toThrow('bug');
    expect(await ask()).toBe('well');
  });

  it('does not count calls that were in flight when it opened', async () => {
    const { fail, breaker, clock } = stage();
    const { promise, resolve } = Promise.withResolvers<string>();
    const late = [0, 1, 2].map(() => breaker.guard(() => promise, isFailure));
    await fail(5);
    resolve('failed');
    await Promise.all(late);
    expect(breaker.until()).toBe(clock.now + 5000);
  });
});

const isFailure = (outcome: string) => outcome === 'failed';

function stage() {
  const clock = { now: 0 };
  const breaker = createBreaker(() => clock.now);
  let calls = 0;
  const ask = (outcome = 'well') =>
    breaker.guard(async () => {
      calls++;
      return outcome;
    }, isFailure);
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
