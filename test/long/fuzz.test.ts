import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RANDOM_MS } from './length.ts';
import { type Target, targets } from './targets.ts';

/** The most CPU time that one input may take (milliseconds). */
const MAX_MS = 100;

it.each(targets)(
  'random input neither fails nor takes long: $name',
  { timeout: RANDOM_MS + 60_000 },
  async (target) => {
    const seed = Date.now() % 1_000_000_000;
    const { inputs, faults } = await feed(target, seed, performance.now() + RANDOM_MS / targets.length);
    expect(faults, `seed ${seed}`).toEqual([]);
    expect(inputs).toBeGreaterThan(20);
  },
);

it('a parser that throws is found', async () => {
  const broken = { name: 'broken', feed: fc.constant(() => JSON.parse('{')) };
  expect((await feed(broken, 1, performance.now() + 50)).faults.length).toBeGreaterThan(0);
});

/** Feeds a parser until `untilMs`. A fault is an exception, or an input that took too long. */
async function feed(target: Pick<Target, 'feed'>, seed: number, untilMs: number) {
  const faults: string[] = [];
  let inputs = 0;
  for (let round = 0; performance.now() < untilMs; round++)
    for (const run of fc.sample(target.feed, { seed: seed + round, numRuns: 100 })) {
      if (performance.now() > untilMs) break;
      inputs++;
      const fault = await faultOf(run);
      if (fault !== undefined) faults.push(`${fault} on ${String(run).slice(0, 300)}`);
    }
  return { inputs, faults };
}

async function faultOf(run: () => unknown): Promise<string | undefined> {
  try {
    let ms = await cpuMs(run);
    // The quickest of five runs counts: others meet the garbage collector, or share a core with other programs.
    for (let tries = 1; ms > MAX_MS && tries < 5; tries++) ms = Math.min(ms, await cpuMs(run));
    return ms > MAX_MS ? `took ${Math.round(ms)} ms of CPU` : undefined;
  } catch (error) {
    return String(error).slice(0, 200);
  }
}

/** CPU time, because wall time includes other programs. */
async function cpuMs(run: () => unknown): Promise<number> {
  const begun = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}
