import fc from 'fast-check';
import { it } from 'vitest';
import { RANDOM_MS } from './length.ts';
import { targets } from './targets.ts';

const interruptAfterTimeLimit = RANDOM_MS / targets.length;

it.each(targets)(
  'random input neither fails nor takes long: $name',
  { timeout: RANDOM_MS + 60_000 },
  async ({ property }) => fc.assert(property, { interruptAfterTimeLimit, numRuns: 1e9 }),
);
