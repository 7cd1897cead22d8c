import { beforeEach, describe, expect, it } from 'vitest';
import { createOnce, type Once } from '../../src/bot/once.ts';

const MINUTE = 60_000;

let time: number;
let once: Once;
let runs: number;
beforeEach(() => {
  time = 0;
  runs = 0;
  once = createOnce(() => time);
});

const run = async () => ++runs;

describe('a repeat', () => {
  it('joins its twin in flight, however long that takes', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const first = once('key', () => promise);
    for (; time < 60 * MINUTE; time += MINUTE) once(`other ${time}`, run);
    const second = once('key', run);
    resolve(7);
    expect(await Promise.all([first, second])).toEqual([7, 7]);
  });

  it('is answered as its twin was for ten minutes, and runs anew some time later', async () => {
    await once('key', run);
    time = 10 * MINUTE;
    expect(await once('key', run)).toBe(1);
    time = 22 * MINUTE;
    await once('other', run);
    time = 44 * MINUTE;
    expect(await once('key', run)).toBe(3);
  });

  it('runs anew at once where its twin failed', async () => {
    await expect(once('key', () => Promise.reject(new Error('torn')))).rejects.toThrow('torn');
    expect(await once('key', run)).toBe(1);
  });

  it('is known by a key of any length', async () => {
    const key = 'x'.repeat(300_000);
    await once(key, run);
    expect(await once(key, run)).toBe(1);
    expect(await once(`${key}y`, run)).toBe(2);
  });

  it('is forgotten before its time where there are too many, the oldest first', async () => {
    for (let index = 0; index < 60_000; index++) await once(`key ${index}`, run);
    expect(await once('key 59999', run)).toBe(60_000);
    expect(await once('key 40000', run)).toBe(40_001);
    expect(await once('key 0', run)).toBe(60_001);
  });
});
