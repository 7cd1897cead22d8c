import { beforeEach, describe, expect, it } from 'vitest';
import { createOnce } from '../../src/teams/once.ts';

const MINUTE = 60_000;

let [time, runs] = [0, 0];
let once: ReturnType<typeof createOnce>;
beforeEach(() => {
  [time, runs] = [0, 0];
  once = createOnce(() => time, 100_000, 10 * MINUTE);
});

const run = async () => ({ run: ++runs });

describe('a repeat', () => {
  it('joins its twin in flight, however long that takes', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    const first = once('key', () => promise);
    for (; time < 60 * MINUTE; time += MINUTE) once(`other ${time}`, run);
    const second = once('key', run);
    resolve({ run: 7 });
    expect(await Promise.all([first, second])).toEqual([{ run: 7 }, { run: 7 }]);
  });

  it('is answered as its twin was for ten minutes, and runs anew later', async () => {
    await once('key', run);
    time = 10 * MINUTE;
    expect(await once('key', run)).toEqual({ run: 1 });
    time++;
    expect(await once('key', run)).toEqual({ run: 2 });
  });

  it('runs anew at once where its twin failed', async () => {
    await expect(once('key', () => Promise.reject(new Error('torn')))).rejects.toThrow('torn');
    expect(await once('key', run)).toEqual({ run: 1 });
  });

  it('is known by a key of any length', async () => {
    const key = 'x'.repeat(300_000);
    await once(key, run);
    expect(await once(key, run)).toEqual({ run: 1 });
    expect(await once(`${key}y`, run)).toEqual({ run: 2 });
  });

  it('is known among any number of others', async () => {
    const nothing = async () => void ++runs;
    for (let index = 0; index < 60_000; index++) await once(`key ${index}`, nothing);
    await once('key 0', nothing);
    expect(runs).toBe(60_000);
  });

  it('runs anew if it was forgotten, because only so many are remembered', async () => {
    const few = createOnce(() => time, 3, 10 * MINUTE);
    for (let index = 0; index < 4; index++) await few(`key ${index}`, run);
    expect(await few('key 3', run)).toEqual({ run: 4 });
    expect(await few('key 0', run)).toEqual({ run: 5 });
  });
});
