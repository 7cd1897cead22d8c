import { describe, expect, it } from 'vitest';
import { createFairQueue } from '../../src/nac/accounts.ts';

describe('a fair queue', () => {
  it('runs at most as many calls at once as its limit, and all of them in the end', async () => {
    const queue = createFairQueue(3);
    let running = 0;
    let most = 0;
    const call = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
    };
    const done = await Promise.all(
      Array.from({ length: 20 }, (_, index) => queue.run(`${index}`, 'alex', call)),
    );
    expect([most, done.length]).toEqual([3, 20]);
    expect(queue.counts()).toEqual({ running: 0, waiting: 0 });
  });

  it("lets one person's single call pass another's many", async () => {
    const { order, run } = stage();
    const alex = ['alex 0', 'alex 1', 'alex 2', 'alex 3'].map((name) => run(name));
    await Promise.all([...alex, run('patti 0'), run('megan 0')]);
    expect(order).toEqual(['alex 0', 'alex 1', 'patti 0', 'megan 0', 'alex 2', 'alex 3']);
  });

  it('starts a shared call in the best turn of those who share it, and costs nobody else a turn', async () => {
    const { queue, order, run } = stage();
    const alex = ['alex 0', 'alex 1', 'alex 2', 'alex shared'].map((name) => run(name));
    await Promise.all([...alex, run('alex shared', 'patti'), run('patti 1'), run('megan 0')]);
    expect(order).toEqual(['alex 0', 'alex 1', 'alex shared', 'megan 0', 'alex 2', 'patti 1']);
    expect(queue.counts()).toEqual({ running: 0, waiting: 0 });
  });

  it('shares one call between equal keys in flight, and calls anew afterwards', async () => {
    const { order, run } = stage(4);
    const all = [run('one', 'alex'), run('one', 'patti'), run('other', 'alex')];
    expect(await Promise.all(all)).toEqual(['one', 'one', 'other']);
    await run('one', 'alex');
    expect(order).toEqual(['one', 'other', 'one']);
  });

  it('hands the place on when a call fails, and calls anew', async () => {
    const { queue, run } = stage();
    const failing = queue.run('one', 'alex', () => Promise.reject(new Error('bug')));
    const next = run('other', 'alex');
    await expect(failing).rejects.toThrow('bug');
    expect([await next, await run('one', 'alex')]).toEqual(['other', 'one']);
  });
});

function stage(limit = 1) {
  const queue = createFairQueue(limit);
  const order: string[] = [];
  const run = (name: string, person = name.split(' ')[0] ?? name) =>
    queue.run(name, person, async () => {
      order.push(name);
      return name;
    });
  return { queue, order, run };
}
