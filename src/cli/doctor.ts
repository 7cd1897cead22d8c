import { parseArgs } from 'node:util';
import { type ExamineOptions, examine } from './doctor/examine.ts';
import type { Finding } from './doctor/finding.ts';
import { renderFinding, renderSummary } from './doctor/table.ts';

/**
 * `npm run doctor`: asks each system of the present settings one harmless question, and prints a table on stdout. Exit code:
 * 0 all work, 1 something does not, 2 settings or arguments are wrong.
 */
const USAGE = `npm run doctor -- [--again] [--post]
  --again  tries accounts although an earlier run was refused
  --post   posts one line to the room, and reads what the webhook says
`;

/** The width if the output goes to a file. */
const COLUMNS = 100;

const options = readArguments(process.argv.slice(2));
if (options) await main(options);
else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}

async function main(options: ExamineOptions): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of examine(process.env, options)) {
    findings.push(finding);
    process.stdout.write(renderFinding(finding, process.stdout.columns ?? COLUMNS));
  }
  process.stdout.write(`\n${renderSummary(findings)}`);
  process.exitCode = exitCodeOf(findings);
}

function exitCodeOf(findings: readonly Finding[]): number {
  const failing = findings.filter(({ state }) => state === 'FAILS').map(({ system }) => system);
  if (failing.includes('settings')) return 2;
  return failing.length === 0 ? 0 : 1;
}

function readArguments(args: string[]): ExamineOptions | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: { again: { type: 'boolean' }, post: { type: 'boolean' } },
    });
    return { again: values.again ?? false, post: values.post ?? false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // An option or a word that is unknown.
    return undefined;
  }
}
