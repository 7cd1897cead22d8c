import dns from 'node:dns/promises';
import { systemClock } from '../app/start.ts';
import { openUpstreams, type Upstreams } from '../app/upstreams.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { type Proxies, proxyFaultText, proxyFor } from '../http/proxy.ts';
import { type HttpHeaders, isLoopback } from '../http.ts';
import { linesOf, readSettings, type Settings } from '../settings.ts';
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
  const findings: table.Finding[] = [];
  const note = (finding: table.Finding) => {
    findings.push(finding);
    process.stdout.write(table.renderFinding(finding));
  };
  const read = readSettings(environment);
  if ('problems' in read) {
    const next = 'set them in the environment (docs/settings.md)';
    note({ system: 'settings', ...fails(linesOf(read.problems).trimEnd(), next) });
    return { code: 2, text: '' };
  }
  const { doubts } = read.settings;
  const accepted = works('all are accepted');
  const doubted = () => warning(linesOf(doubts).trim(), 'correct what is not meant; the bot starts anyway');
  note({ system: 'settings', ...(doubts.length > 0 ? doubted() : accepted) });
  for await (const finding of examine(read.settings, args.includes('--post'))) note(finding);
  process.stdout.write(`\n${table.renderSummary(findings)}`);
  return { code: findings.some(({ state }) => state === 'FAILS') ? 1 : 0, text: '' };
};

/** Makes all calls at the same time, and yields the rows in the table's order. @param post posts one line to the room */
export async function* examine(settings: Settings, post: boolean): AsyncGenerator<table.Finding> {
  const { proxies, publicUrl, database } = settings;
  const faults: ProxyFault[] = [];
  const onProxy = (fault: ProxyFault | undefined) => void (fault && faults.push(fault));
  const upstreams = openUpstreams(settings, () => ({ onProxy }));
  const ahead = watchClocks(upstreams);
  const examination = { settings, post, upstreams, proxyRoute: proxies && { proxies, onProxy } };
  const systems = systemsOf(settings);
  const answers = systems.map((system) => examineSystem(system, examination));
  const examined = examineDatabase(database);
  Promise.all([...answers, examined]).catch(() => {}); // Rejects below, when its turn has come.
  try {
    for (const findings of answers) yield* await findings;
    yield { system: 'database', ...(await examined) };
    if (proxies) yield* examineProxies(proxies, systems, faults);
    yield { system: 'clock', ...judgeClock(systems, ahead) };
    if (publicUrl && !isLoopback(publicUrl.hostname))
      yield { system: 'public host', ...(await examinePublicHost(publicUrl)) };
  } finally {
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
  }
}

/** From here on tokens are refused; below, nothing yet. */
const TOO_FAR_MS = 60_000;
const FAR_MS = 5000;

/** Has each upstream note how far this machine's clock is ahead of its last answer with a `Date` (milliseconds). */
function watchClocks(upstreams: Upstreams): ReadonlyMap<string, number> {
  const ahead = new Map<string, number>();
  for (const [key, upstream] of Object.entries(upstreams)) {
    const { call } = upstream;
    upstream.call = async (request) => {
      const from = systemClock.now();
      const outcome = await call(request);
      const ms = outcome.kind === 'answered' ? aheadOf(outcome.headers, from, systemClock.now()) : undefined;
      if (ms !== undefined) ahead.set(key, ms);
      return outcome;
    };
  }
  return ahead;
}

/**
 * Returns how far this machine's clock is ahead of the answer's `Date`; negative: behind. The `Date` has whole seconds, and
 * can be of any moment between request and answer. `Age` says how long a cache kept the answer (RFC 9111, section 5.1).
 * @param from when the call began, by this machine's clock; `to`: when its answer was there
 */
export function aheadOf(headers: HttpHeaders, from: number, to: number): number | undefined {
  const date = Date.parse(String(headers.date ?? '')) + (Number(headers.age) || 0) * 1000;
  return Number.isNaN(date) ? undefined : Math.max(from - (date + 999), 0) + Math.min(to - date, 0);
}

function judgeClock(systems: readonly System[], ahead: ReadonlyMap<string, number>): table.Diagnosis {
  const judge = systems.find(({ key }) => ahead.has(key));
  if (judge === undefined) return skipped('no system answered with its time');
  const aheadMs = ahead.get(judge.key) ?? 0;
  const distance = Math.abs(aheadMs);
  if (distance < FAR_MS) return works(`this machine's clock agrees with that of the ${judge.name}`);
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  const what = `this machine's clock is ${Math.round(distance / 1000)} s ${side} that of the ${judge.name}`;
  const cure = 'have this machine set its clock by NTP (timedatectl set-ntp true)';
  return distance > TOO_FAR_MS ? fails(`${what}, so that tokens get refused`, cure) : warning(what, cure);
}

async function examinePublicHost({ hostname }: URL): Promise<table.Diagnosis> {
  try {
    const [address] = await Promise.any([dns.resolve4(hostname), dns.resolve6(hostname)]);
    return works(`${hostname} has the address ${address}`);
  } catch (error) {
    const [{ code }] = (error as AggregateError).errors;
    const next = 'correct PUBLIC_HOST, or add the name to the DNS: else nobody reaches the bot';
    return warning(`the DNS does not know ${hostname} (${code})`, next);
  }
}

/** Names the systems that go through each proxy, and its fault in the checks before. */
function examineProxies(proxies: Proxies, systems: readonly System[], faults: readonly ProxyFault[]) {
  const ways = systems.flatMap(({ name, urls, isDirect }) =>
    urls.map((url) => ({ name, host: url && !isDirect && proxyFor(proxies, url)?.url.host })),
  );
  const hosts = new Set([proxies.https, proxies.http].flatMap((proxy) => proxy?.url.host ?? []));
  return [...hosts].map((host) => {
    const through = new Set(ways.flatMap((way) => (way.host === host ? way.name : [])));
    const what = `through ${host}: ${[...through].join(', ') || 'nothing'}`;
    const fault = faults.find(({ proxy }) => proxy === host);
    return { system: 'proxy', ...(fault ? fails(`${proxyFaultText(fault)}\n${what}`) : works(what)) };
  });
}
