import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '6' },
    messages: { type: 'string', default: '10000' },
    list: { type: 'boolean', default: false },
  },
});

/** Parts that run the bot in this process, or run nothing. The others need the peers and the load generator. */
const WITHOUT_PACKAGES = ['path', 'lines'];

/**
 * `npm run bench [-- PART...] [--rounds N] [--messages N] [--list]`: measures the cost of a lookup without the NAC's own
 * time, and compares it with peers that do the same work. Each part prints its figures and targets.
 * `path` and `lines` measure the code; `--list` has them name what they count. A part is loaded when it runs.
 */
const PARTS = {
  async table() {
    const { measureTable } = await import('./table.ts');
    return measureTable({ rounds: Number(values.rounds), messages: Number(values.messages) });
  },
  start: async () => (await import('./start.ts')).measureStart(),
  feel: async () => (await import('./feel.ts')).measureFeel(),
  growth: async () => (await import('./growth.ts')).measureGrowth(),
  path: async () => (await import('./path.ts')).measurePath({ isListed: values.list }),
  lines: async () => (await import('./lines.ts')).measureLines({ isListed: values.list }),
};

const wanted = positionals.length > 0 ? positionals : Object.keys(PARTS);
if (!wanted.every((name) => WITHOUT_PACKAGES.includes(name))) {
  const { status } = spawnSync(process.execPath, ['src/install.cjs', 'test/bench'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
process.stdout.write(`${machine()}\n`);
for (const name of wanted) {
  const part = PARTS[name as keyof typeof PARTS];
  if (part === undefined)
    throw new Error(`unknown part ${name}; the parts are: ${Object.keys(PARTS).join(', ')}`);
  process.stdout.write(`\n# ${name}\n`);
  for await (const line of await part()) process.stdout.write(`${line}\n`);
}

function machine(): string {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  return `${cpus().length} cores of ${cpu?.model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}, ${date}`;
}
