import { describe, expect, it } from 'vitest';
import { createTurns } from '../../src/nac/fair-queue.ts';

describe('createTurns', () => {
  it('runs at most as many tasks at once as its limit, and all of them in the end', async () => {
    const turns = createTurns(3);
    let running = 0;
    let most = 0;
    const done = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        turns.take('alex', async () => {
          most = Math.max(most, ++running);
          await new Promise(setImmediate);
          running--;
          return index;
        }),
      ),
    );
    expect(most).toBe(3);
    expect(done).toHaveLength(20);
  });

  it("lets one person's single task pass another's many", async () => {
    const turns = createTurns(1);
    const order: string[] = [];
    const run = (person: string, name: string) => turns.take(person, async () => void order.push(name));
    await Promise.all([
      ...Array.from({ length: 5 }, (_, index) => run('alex', `alex ${index}`)),
      run('patti', 'patti 0'),
      run('megan', 'megan 0'),
    ]);
    expect(order).toEqual(['alex 0', 'alex 1', 'patti 0', 'megan 0', 'alex 2', 'alex 3', 'alex 4']);
  });

  it('hands the place on when a task fails', async () => {
    const turns = createTurns(1);
    const failing = turns.take('alex', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await turns.take('alex', async () => 'next')).toBe('next');
  });
});
