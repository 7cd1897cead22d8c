import fc from 'fast-check';
import type { Target } from './targets.ts';

/** The most CPU time that one input may take (milliseconds). */
const MOST_MS = 100;

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
      if (ms > MOST_MS) ms = Math.min(ms, await cpuMs(run)); // The first run may have met the garbage collector.
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
