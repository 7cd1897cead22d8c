import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

/** `npm run fuzz -- [--seconds 60] [--seed N]`: feeds random inputs to every parser in turn. Exits 1 on a fault. */
const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
const end = performance.now() + Number(values.seconds ?? 60) * 1000;
const firstSeed = Number(values.seed ?? Date.now() % 1_000_000_000);
const totals = new Map(targets.map(({ name }) => [name, { inputs: 0, slowestMs: 0, faults: 0 }]));

process.stdout.write(`Seed ${firstSeed}.\n`);
for (let round = 0; performance.now() < end; round++) {
  for (const target of targets) {
    const seed = firstSeed + round;
    const { name, inputs, slowestMs, faults } = await fuzz(target, { seed, inputs: 200, untilMs: end });
    const total = totals.get(name);
    if (total === undefined) continue;
    total.inputs += inputs;
    total.slowestMs = Math.max(total.slowestMs, slowestMs);
    total.faults += faults.length;
    for (const fault of faults) process.stdout.write(`${name}, seed ${seed}: ${fault}\n`);
  }
}
for (const [name, { inputs, slowestMs, faults }] of totals) {
  process.stdout.write(`${name}: ${inputs} inputs, slowest ${slowestMs.toFixed(1)} ms, ${faults} faults\n`);
}
process.exitCode = [...totals.values()].some(({ faults }) => faults > 0) ? 1 : 0;
