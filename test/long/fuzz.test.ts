import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RANDOM_MS } from './length.ts';
import { target, targets } from './targets.ts';

const feed = ({ property }: (typeof targets)[number], ms: number) =>
  fc.assert(property, { interruptAfterTimeLimit: ms, numRuns: 1e9 });

it.each(targets)(
  'random input neither fails nor takes long: $name',
  { timeout: RANDOM_MS + 60_000 },
  async (each) => feed(each, RANDOM_MS / targets.length),
);

it('a parser that throws is found', async () => {
  const broken = target('broken', fc.constant('{'), JSON.parse);
  await expect(feed(broken, 50)).rejects.toThrow('Counterexample: ["{"]');
});
