import { systemClock } from '../app/start.ts';
import { openUpstreams } from '../app/upstreams.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { type Proxies, proxyFaultText, proxyFor } from '../http/proxy.ts';
import type { Upstream } from '../http.ts';
import { linesOf, readSettings, type Settings } from '../settings.ts';
import { CLOCK_TOLERANCE_S } from '../teams/authentication/channel-token.ts';
import type { Command } from './command.ts';
import { examineDatabase } from './doctor/database.ts';
import { examineSystem, type System, systemsOf } from './doctor/systems.ts';
import * as table from './doctor/table.ts';

const { works, warning, fails, skipped } = table;

/**
 * `doctor [--post]`: makes each of the bot's own calls once with the present settings, and prints a table on stdout. Exit code:
 * 0 all work, 1 something does not, 2 settings or arguments are wrong.
 */
export const doctor: Command = async (args, environment) => {
  if (args.some((arg) => arg !== '--post'))
    return { code: 2, text: 'The only option is --post: nac-lookup-bot doctor [--post]\n' };
  let code: 0 | 1 = 0;
  const note = (finding: table.Finding) => {
    if (finding.state === 'FAILS') code = 1;
    process.stdout.write(table.renderFinding(finding));
  };
  const read = readSettings(environment);
  if ('problems' in read) {
    const cure = 'set or correct them (docs/settings.md)';
    note({ system: 'settings', ...fails(linesOf(read.problems).trimEnd(), cure) });
    return { code: 2, text: '' };
  }
  const doubts = linesOf(read.settings.doubts).trim();
  const doubted = warning(doubts, 'correct what is not meant; the bot starts anyway');
  note({ system: 'settings', ...(doubts ? doubted : works('all are accepted')) });
  for await (const finding of examine(read.settings, args.includes('--post'))) note(finding);
  return { code, text: '' };
};

/** Makes all calls at the same time, and yields the rows in the table's order. @param post posts one line to the room */
export async function* examine(settings: Settings, post: boolean): AsyncGenerator<table.Finding> {
  const { proxies, identity } = settings;
  const faults: ProxyFault[] = [];
  const onProxy = (fault: ProxyFault | undefined) => void (fault && faults.push(fault));
  const upstreams = openUpstreams(settings, () => ({ onProxy }));
  const examination = { settings, post, upstreams, proxyRoute: proxies && { proxies, onProxy } };
  const systems = systemsOf(settings);
  const answers = systems.map((system) => examineSystem(system, examination));
  const database = examineDatabase(settings.database);
  Promise.all([...answers, database]).catch(() => {}); // Rejects below, when its turn has come.
  try {
    for (const findings of answers) yield* await findings;
    yield { system: 'database', ...(await database) };
    if (proxies) yield* examineProxies(proxies, systems, faults);
    if (identity) yield { system: 'clock', ...(await examineClock(upstreams.keys, identity.openIdMetadata)) };
  } finally {
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  }
}

async function examineClock(keys: Upstream, url: URL): Promise<table.Diagnosis> {
  const answer = await keys.call({ method: 'GET', url });
  const then = answer.kind === 'answered' ? Date.parse(String(answer.headers.date)) : Number.NaN;
  if (Number.isNaN(then)) return skipped(`${url.host} did not say the time`);
  const seconds = Math.round((systemClock.now() - then) / 1000);
  const apart = Math.abs(seconds);
  if (apart <= CLOCK_TOLERANCE_S) return works(`this machine's clock agrees with that of ${url.host}`);
  const side = seconds > 0 ? 'ahead of' : 'behind';
  const what = `this machine's clock is ${apart} s ${side} that of ${url.host}, so that tokens get refused`;
  return fails(what, 'have this machine set its clock by NTP (timedatectl set-ntp true)');
}

function* examineProxies(proxies: Proxies, systems: readonly System[], faults: readonly ProxyFault[]) {
  for (const host of new Set([proxies.https, proxies.http].flatMap((proxy) => proxy?.url.host ?? []))) {
    const isThrough = (url?: URL) => url && proxyFor(proxies, url)?.url.host === host;
    const through = systems.filter(({ urls, isDirect }) => !isDirect && urls.some(isThrough));
    const what = `through ${host}: ${through.map(({ name }) => name).join(', ') || 'nothing'}`;
    const fault = faults.find(({ proxy }) => proxy === host);
    yield { system: 'proxy', ...(fault ? fails(`${proxyFaultText(fault)}\n${what}`) : works(what)) };
  }
}
