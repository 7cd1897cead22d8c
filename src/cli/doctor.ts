import { parseArgs } from 'node:util';
import { openUpstreams } from '../app/upstreams.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { readSettings, type Settings } from '../settings.ts';
import { examineDatabase } from './doctor/database.ts';
import { examineClock, examineProxies, watchClocks } from './doctor/machine.ts';
import {
  examineAuthority,
  examineExchange,
  examineKeys,
  examineNac,
  examineWebhook,
} from './doctor/systems.ts';
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

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<0 | 1 | 2> {
  const post = wantsPost(args);
  if (post === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
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
  for await (const finding of examine(read.settings, post)) {
    findings.push(finding);
    print(finding);
  }
  process.stdout.write(`\n${renderSummary(findings)}`);
  return findings.some(({ state }) => state === 'FAILS') ? 1 : 0;
}

function wantsPost(args: string[]): boolean | undefined {
  try {
    return parseArgs({ args, options: { post: { type: 'boolean', default: false } } }).values.post;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // An option or a word that is unknown.
    return undefined;
  }
}

/**
 * Makes each of the bot's own calls once, all at the same time, and yields what was found, in the table's order.
 * @param post whether one line is posted to the room
 */
export async function* examine(settings: Settings, post: boolean): AsyncGenerator<Finding> {
  const faults: ProxyFault[] = [];
  const onProxy = (fault: ProxyFault | undefined) => void (fault && faults.push(fault));
  const { upstreams, ahead } = watchClocks(openUpstreams(settings, () => onProxy));
  const wayOut = settings.proxies && { proxies: settings.proxies, onProxy };
  const examination = { settings, post, upstreams, wayOut };
  const asked = [
    examineNac(examination),
    examineExchange('authorize', examination),
    examineExchange('ticket', examination),
    examineWebhook(examination),
    examineAuthority(examination),
    examineKeys(examination),
    examineDatabase(settings).then((diagnosis) => [{ system: 'database', ...diagnosis }]),
  ];
  Promise.all(asked).catch(() => {}); // Rejects below, when its turn has come.
  try {
    for (const findings of asked) yield* await findings;
    yield* examineProxies(settings, faults);
    yield examineClock(ahead);
  } finally {
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  }
}
