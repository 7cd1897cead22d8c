import { describe, expect, it } from 'vitest';
import { createTurns } from '../../src/nac/fair-queue.ts';
import { createGuard } from '../../src/nac/shared-calls.ts';

describe('createGuard', () => {
  it('shares one call between equal keys in flight, and calls anew afterwards', async () => {
    const guard = createGuard<string>(createTurns(4));
    const asked: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const call = (key: string) => async () => {
      asked.push(key);
      await held;
      return key;
    };
    const all = [
      guard.run('one', 'alex', call('one')),
      guard.run('one', 'patti', call('one')),
      guard.run('other', 'alex', call('other')),
    ];
    release();
    expect(await Promise.all(all)).toEqual(['one', 'one', 'other']);
    expect(asked).toEqual(['one', 'other']);
    await guard.run('one', 'alex', call('one'));
    expect(asked).toEqual(['one', 'other', 'one']);
  });

  it('calls anew after a call that failed', async () => {
    const guard = createGuard<string>(createTurns(1));
    await expect(guard.run('one', 'alex', () => Promise.reject(new Error('bug')))).rejects.toThrow('bug');
    expect(await guard.run('one', 'alex', async () => 'well')).toBe('well');
  });
});
