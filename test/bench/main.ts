import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { CONTENDERS, type Contender, type Figures, measure } from './contenders.ts';
import { measureGrowth } from './growth.ts';
import { measureLines } from './lines.ts';
import { measureMemory } from './memory.ts';
import { measurePath } from './path.ts';
import { measureStart } from './start.ts';
import { checkTargets, summarize, toMarkdown } from './table.ts';

/**
 * Warm-up messages for each measured message. V8 optimises a function after some thousand calls. After 5,000 warm-up
 * lookups, its compiler takes a tenth of the CPU of 10,000 lookups; after 20,000, a fortieth.
 */
const WARM_UPS = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '6' },
    messages: { type: 'string', default: '10000' },
    list: { type: 'boolean', default: false },
  },
});

/**
 * `npm run bench [-- PART...] [--rounds N] [--messages N] [--list]`: measures the cost of a lookup without the NAC's own
 * time, and compares it with peers that do the same work. Each part prints its figures and targets.
 * `path` and `lines` measure the code; `--list` has them name what they count.
 */
const PARTS = {
  table: measureTable,
  start: measureStart,
  memory: measureMemory,
  growth: measureGrowth,
  path: () => measurePath({ isListed: values.list }),
  lines: () => measureLines({ isListed: values.list }),
};

const wanted = positionals.length > 0 ? positionals : Object.keys(PARTS);
process.stdout.write(`${machine()}\n`);
for (const name of wanted) {
  const part = PARTS[name as keyof typeof PARTS];
  if (part === undefined)
    throw new Error(`unknown part ${name}; the parts are: ${Object.keys(PARTS).join(', ')}`);
  process.stdout.write(`\n# ${name}\n`);
  for await (const line of part()) process.stdout.write(`${line}\n`);
}

/** Measures all contenders in turn. Each round begins with another one, so that noise affects all of them. */
async function* measureTable(): AsyncGenerator<string> {
  const messages = Number(values.messages);
  const rounds: Array<Map<Contender, Figures>> = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const figures = new Map<Contender, Figures>();
    const first = round % CONTENDERS.length;
    for (const contender of [...CONTENDERS.slice(first), ...CONTENDERS.slice(0, first)]) {
      const options = { connections: 32, warmUp: WARM_UPS * messages, messages };
      figures.set(contender, await measure(contender, options));
    }
    rounds.push(figures);
    yield `round ${round + 1}: ${[...figures].map(([name, { cpuMs }]) => `${name} ${cpuMs.toFixed(3)}`).join(', ')}`;
  }
  yield `\n${toMarkdown(summarize(rounds))}\n`;
  yield* checkTargets(rounds);
}

function machine(): string {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `${cpus().length} cores of ${cpu?.model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}, ${date}`;
}
