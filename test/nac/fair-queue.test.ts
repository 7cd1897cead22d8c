import { describe, expect, it } from 'vitest';
import { createGuard, createTurns } from '../../src/nac/fair-queue.ts';

describe('createTurns', () => {
  it('runs at most as many tasks at once as its limit, and all of them in the end', async () => {
    const turns = createTurns(3);
    let running = 0;
    let most = 0;
    const done = await Promise.all(
      Array.from(
        { length: 20 },
        (_, index) =>
          turns.take('alex', async () => {
            most = Math.max(most, ++running);
            await new Promise(setImmediate);
            running--;
            return index;
          }).result,
      ),
    );
    expect(most).toBe(3);
    expect(done).toHaveLength(20);
  });

  it("lets one person's single task pass another's many", async () => {
    const turns = createTurns(1);
    const order: string[] = [];
    const run = (person: string, name: string) =>
      turns.take(person, async () => void order.push(name)).result;
    await Promise.all([
      ...Array.from({ length: 5 }, (_, index) => run('alex', `alex ${index}`)),
      run('patti', 'patti 0'),
      run('megan', 'megan 0'),
    ]);
    expect(order).toEqual(['alex 0', 'alex 1', 'patti 0', 'megan 0', 'alex 2', 'alex 3', 'alex 4']);
  });

  it('hands the place on when a task fails', async () => {
    const turns = createTurns(1);
    const failing = turns.take('alex', () => Promise.reject(new Error('no'))).result;
    await expect(failing).rejects.toThrow('no');
    expect(await turns.take('alex', async () => 'next').result).toBe('next');
  });

  it('starts a shared task in the best turn of those who share it, and costs nobody else a turn', async () => {
    const turns = createTurns(1);
    const order: string[] = [];
    const take = (person: string, name: string) => turns.take(person, async () => void order.push(name));
    const all = ['0', '1', '2', 'shared'].map((name) => take('alex', `alex ${name}`));
    all.at(-1)?.share('patti');
    all.push(take('patti', 'patti 1'), take('megan', 'megan 0'));
    await Promise.all(all.map(({ result }) => result));
    expect(order).toEqual(['alex 0', 'alex 1', 'alex shared', 'megan 0', 'alex 2', 'patti 1']);
    expect(turns.counts()).toEqual({ running: 0, waiting: 0 });
  });
});

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
      guard('one', 'alex', call('one')),
      guard('one', 'patti', call('one')),
      guard('other', 'alex', call('other')),
    ];
    release();
    expect(await Promise.all(all)).toEqual(['one', 'one', 'other']);
    expect(asked).toEqual(['one', 'other']);
    await guard('one', 'alex', call('one'));
    expect(asked).toEqual(['one', 'other', 'one']);
  });

  it('calls anew after a call that failed', async () => {
    const guard = createGuard<string>(createTurns(1));
    await expect(guard('one', 'alex', () => Promise.reject(new Error('bug')))).rejects.toThrow('bug');
    expect(await guard('one', 'alex', async () => 'well')).toBe('well');
  });
});
