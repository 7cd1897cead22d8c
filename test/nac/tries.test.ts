import { expect, it } from 'vitest';
import { createTries, type Success } from '../../src/nac/tries.ts';

const HOUR = 3_600_000;

it('a call that fails is made three times an hour, however often it is asked for', async () => {
  const { ask, calls, clock, left } = stage();
  for (let hour = 1; hour <= 3; hour++) {
    for (let time = 0; time < 10; time++) await ask('failed');
    expect(calls).toHaveLength(3 * hour);
    expect(left).toHaveLength(hour);
    clock.now += HOUR;
  }
});

it('a call that fails is made three times, even if many ask at once', async () => {
  const { ask, calls } = stage();
  await Promise.all(Array.from({ length: 20 }, () => ask('failed')));
  expect(calls).toHaveLength(3);
});

it('calls go one by one until one is well, then at once', async () => {
  const { ask, calls } = stage();
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const asked = gates.map(({ promise }) => ask('well', promise));
  await new Promise(setImmediate);
  expect(calls).toHaveLength(1);
  gates[0]?.resolve();
  await new Promise(setImmediate);
  expect(calls).toHaveLength(4);
  for (const gate of gates) gate.resolve();
  expect(await Promise.all(asked)).toEqual(['well', 'well', 'well', 'well']);
});

it.each(['well', 'unknown'] as const)('two failures, then one that is %s, then a failure', async (third) => {
  const { ask, left } = stage();
  for (const success of ['failed', 'failed', third, 'failed'] as const) await ask(success);
  expect(left).toHaveLength(third === 'well' ? 0 : 1);
});

it('an exception counts as nothing, and lets the next call go', async () => {
  const { tries, ask, left } = stage();
  for (let time = 0; time < 5; time++)
    await expect(
      tries.attempt(
        () => Promise.reject(new Error('bug')),
        () => 'failed',
      ),
    ).rejects.toThrow('bug');
  expect(await ask('well')).toBe('well');
  expect(left).toEqual([]);
});

function stage() {
  const clock = { now: 0 };
  const calls: Success[] = [];
  const left: number[] = [];
  const tries = createTries(
    () => clock.now,
    () => void left.push(clock.now),
  );
  const ask = (success: Success, until: Promise<void> = Promise.resolve()) =>
    tries.attempt(
      async () => {
        calls.push(success);
        await until;
        return success;
      },
      (outcome) => outcome,
    );
  return { tries, ask, calls, clock, left };
}
