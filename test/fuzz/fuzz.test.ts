import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

describe('a parser fed with random inputs', () => {
  it.each(targets.map((target) => [target.name, target] as const))(
    'neither throws nor takes too long: %s',
    async (_, target) => {
      const { inputs, faults } = await fuzz(target, {
        seed: 20_261_121,
        inputs: 300,
        untilMs: performance.now() + 10_000,
      });
      expect(faults).toEqual([]);
      expect(inputs).toBeGreaterThan(50);
    },
  );

  it('is reported if it throws', async () => {
    const broken = { name: 'broken', feed: targets[0]?.feed.map(() => () => JSON.parse('{')) };
    if (broken.feed === undefined) throw new Error('no target');
    const { faults } = await fuzz(
      { name: broken.name, feed: broken.feed },
      { seed: 1, inputs: 3, untilMs: Number.POSITIVE_INFINITY },
    );
    expect(faults).toHaveLength(3);
  });
});
