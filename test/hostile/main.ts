import { attacks } from './attacks.ts';
import { openHostileStage } from './stage.ts';

/** `npm run test:hostile`: runs every attack in full and prints the results. Exits 1 unless every count but the inputs is zero. */
const stage = await openHostileStage();
const total = { inputs: 0, crashes: 0, leaks: 0, calls: 0, faults: 0 };
try {
  for (const { name, mayCall, run } of attacks) {
    const before = stage.calls.nac + stage.calls.room;
    const { inputs, faults } = await run(stage, 'full');
    const isAlive = await stage.isAlive();
    const calls = mayCall ? 0 : stage.calls.nac + stage.calls.room - before;
    total.inputs += inputs;
    total.crashes += isAlive ? 0 : 1;
    total.calls += calls;
    total.faults += faults.length;
    process.stdout.write(
      `${name}: ${inputs} inputs, ${isAlive ? 'alive' : 'DEAD'}, ${calls} calls, ${faults.length} faults\n`,
    );
    for (const fault of faults) process.stdout.write(`  ${fault}\n`);
  }
  total.leaks = stage.leaks().length;
} finally {
  await stage.close();
}
process.stdout.write(
  `\ninputs tried: ${total.inputs}\ncrashes: ${total.crashes}\nleaks: ${total.leaks}\ncalls made without permission: ${total.calls}\nother faults: ${total.faults}\n`,
);
process.exitCode = total.crashes + total.leaks + total.calls + total.faults > 0 ? 1 : 0;
