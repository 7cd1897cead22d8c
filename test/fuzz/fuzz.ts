import fc from 'fast-check';
import type { Target } from './targets.ts';

/** The most CPU time that one input may take (milliseconds). */
const MOST_MS = 100;

/** Of so many runs the quickest counts: others meet the garbage collector, or share a core with other programs. */
const MOST_TRIES = 5;

export type Fuzzed = { name: string; inputs: number; slowestMs: number; faults: string[] };

/** Feeds a parser until `untilMs` or until the count of inputs. A fault is an exception or an input that took too long. */
export async function fuzz(
  { name, feed }: Target,
  { seed, inputs, untilMs }: { seed: number; inputs: number; untilMs: number },
): Promise<Fuzzed> {
  const fuzzed: Fuzzed = { name, inputs: 0, slowestMs: 0, faults: [] };
  const random = fc.sample(feed, { seed, numRuns: inputs });
  for (const run of random) {
    if (performance.now() > untilMs) break;
    fuzzed.inputs++;
    try {
      let ms = await cpuMs(run);
      for (let tries = 1; ms > MOST_MS && tries < MOST_TRIES; tries++) ms = Math.min(ms, await cpuMs(run));
      fuzzed.slowestMs = Math.max(fuzzed.slowestMs, ms);
      if (ms > MOST_MS)
        fuzzed.faults.push(`took ${Math.round(ms)} ms of CPU on ${String(run).slice(0, 300)}`);
    } catch (error) {
      fuzzed.faults.push(`${String(error).slice(0, 200)} on ${String(run).slice(0, 300)}`);
    }
  }
  return fuzzed;
}

/** CPU time, because wall time includes other programs. */
async function cpuMs(run: () => unknown): Promise<number> {
  const begun = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}
