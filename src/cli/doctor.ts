import { parseArgs } from 'node:util';
import { readSettings } from '../settings.ts';
import { type ExamineOptions, examine } from './doctor/examine.ts';
import { type Finding, fails, renderFinding, renderSummary, works } from './doctor/table.ts';

/**
 * `npm run doctor`: makes each of the bot's own calls once with the present settings, and prints a table on stdout. Exit code:
 * 0 all work, 1 something does not, 2 settings or arguments are wrong.
 */
const USAGE = `npm run doctor -- [--post]
  --post  posts one line to the room, and reads what the webhook says
`;

/** The width if the output goes to a file. */
const COLUMNS = 100;

const options = readArguments(process.argv.slice(2));
if (options) process.exitCode = await main(options);
else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}

async function main(options: ExamineOptions): Promise<0 | 1 | 2> {
  const print = (finding: Finding) =>
    void process.stdout.write(renderFinding(finding, process.stdout.columns ?? COLUMNS));
  const read = readSettings(process.env);
  if ('problems' in read) {
    const what = read.problems.map(({ name, message }) => `${name} ${message}`).join('\n');
    print({ system: 'settings', ...fails(what, 'set them in the environment (README, "Settings")') });
    return 2;
  }
  const findings: Finding[] = [{ system: 'settings', ...works('all are accepted') }];
  findings.forEach(print);
  for await (const finding of examine(read.settings, options)) {
    findings.push(finding);
    print(finding);
  }
  process.stdout.write(`\n${renderSummary(findings)}`);
  return findings.some(({ state }) => state === 'FAILS') ? 1 : 0;
}

function readArguments(args: string[]): ExamineOptions | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: { post: { type: 'boolean' } },
    });
    return { post: values.post ?? false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // An option or a word that is unknown.
    return undefined;
  }
}
