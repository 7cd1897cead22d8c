import { systemClock } from '../app/start.ts';
import { openUpstreams, type Upstreams } from '../app/upstreams.ts';
import type { ProxyFault } from '../domain/outcome.ts';
import { proxyFor, sayProxyFault } from '../http/proxy.ts';
import type { HttpHeaders, Upstream } from '../http.ts';
import { linesOf, readSettings, type Settings } from '../settings.ts';
import { authorityOf } from '../teams/authentication/app-tokens.ts';
import { BOT_FRAMEWORK_METADATA } from '../teams/authentication/channel-token.ts';
import { examineDatabase } from './doctor/database.ts';
import {
  examineAuthority,
  examineEndpoints,
  examineExchange,
  examineKeys,
  examineNac,
  examineWebhook,
} from './doctor/systems.ts';
import {
  type Finding,
  fails,
  renderFinding,
  renderSummary,
  skipped,
  warning,
  works,
} from './doctor/table.ts';

const USAGE = `npm run doctor -- [--post]
  --post  posts one line to the room, and reads what the webhook says
`;

/**
 * `npm run doctor`: makes each of the bot's own calls once with the present settings, and prints a table on stdout. Exit code:
 * 0 all work, 1 something does not, 2 settings or arguments are wrong.
 */
async function main(args: string[]): Promise<0 | 1 | 2> {
  if (args.some((arg) => arg !== '--post')) {
    process.stderr.write(USAGE);
    return 2;
  }
  const findings: Finding[] = [];
  const note = (finding: Finding) => {
    findings.push(finding);
    process.stdout.write(renderFinding(finding));
  };
  const read = readSettings(process.env);
  if ('problems' in read) {
    const next = 'set them in the environment (README, "Settings")';
    note({ system: 'settings', ...fails(linesOf(read.problems).trimEnd(), next) });
    return 2;
  }
  note({ system: 'settings', ...works('all are accepted') });
  for await (const finding of examine(read.settings, args.includes('--post'))) note(finding);
  process.stdout.write(`\n${renderSummary(findings)}`);
  return findings.some(({ state }) => state === 'FAILS') ? 1 : 0;
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
    examineEndpoints(examination),
    examineExchange('authorize', examination),
    examineExchange('ticket', examination),
    examineWebhook(examination),
    examineAuthority(examination),
    examineKeys(examination),
    examineDatabase(settings),
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

/** From here on tokens are refused; below, nothing yet. */
const TOO_FAR_MS = 60_000;
const FAR_MS = 5000;

/** Whose time counts, the first that said it: the systems that judge tokens by their own clocks come first. */
const CLOCKS = {
  authority: 'the token authority',
  keys: 'the signing keys',
  nac: 'the NAC',
  endpoints: 'the administration node',
  authorize: 'the authorization service',
  ticket: 'the ticket service',
  webhook: 'the webhook',
};

/** Has each upstream note how far this machine's clock is ahead of its last answer with a `Date` (milliseconds). */
function watchClocks(opened: Upstreams) {
  const ahead = new Map<string, number>();
  const watched = Object.entries(opened).map(([name, upstream]): [string, Upstream] => {
    const call: Upstream['call'] = async (request) => {
      const from = systemClock.now();
      const outcome = await upstream.call(request);
      const ms = outcome.kind === 'answered' ? aheadOf(outcome.headers, from, systemClock.now()) : undefined;
      if (ms !== undefined) ahead.set(name, ms);
      return outcome;
    };
    return [name, { ...upstream, call }];
  });
  return { upstreams: Object.fromEntries(watched) as Upstreams, ahead };
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

/** Judges this machine's clock by the first system that said its time. */
function examineClock(ahead: ReadonlyMap<string, number>): Finding {
  const system = 'clock';
  const [name, whose] = Object.entries(CLOCKS).find(([name]) => ahead.has(name)) ?? [];
  if (name === undefined) return { system, ...skipped('no system answered with its time') };
  const aheadMs = ahead.get(name) ?? 0;
  const distance = Math.abs(aheadMs);
  if (distance < FAR_MS) return { system, ...works(`this machine's clock agrees with that of ${whose}`) };
  const off = `${Math.round(distance / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
  const what = `this machine's clock is ${off} that of ${whose}`;
  const cure = 'have this machine set its clock by NTP (timedatectl set-ntp true)';
  const isTooFar = distance > TOO_FAR_MS;
  return { system, ...(isTooFar ? fails(`${what}, so that tokens get refused`, cure) : warning(what, cure)) };
}

/** Where Teams' replies go, one of several such hosts. */
const CHAT_SERVICE = new URL('https://smba.trafficmanager.net');

/** Says for each proxy which systems go through it, and what it refused to the checks before. */
function examineProxies(settings: Settings, faults: readonly ProxyFault[]): Finding[] {
  const { nac, endpoints, webhook, authorize, ticket, identity, proxies } = settings;
  if (proxies === undefined) return [];
  const systems: ReadonlyArray<[string, ReadonlyArray<URL | undefined>]> = [
    ['NAC', nac.addresses],
    ['administration node', [endpoints?.url]],
    ['authorization service', [authorize?.url]],
    ['ticket service', [ticket?.url]],
    ['webhook', [webhook.address().base]],
    [
      'token authority',
      [identity && identity.type !== 'UserAssignedMSI' ? authorityOf(identity) : undefined],
    ],
    ['signing keys', [identity && (identity.openIdMetadata ?? BOT_FRAMEWORK_METADATA)]],
    ['chat service', [identity && CHAT_SERVICE]],
  ];
  const namesThrough = (host?: string) => {
    const isMeant = (url?: URL) => url !== undefined && proxyFor(proxies, url)?.url.host === host;
    return systems.flatMap(([name, urls]) => (urls.some(isMeant) ? name : [])).join(', ') || 'nothing';
  };
  const hosts = [proxies.https, proxies.http].flatMap((proxy) => proxy?.url.host ?? []);
  return [...new Set(hosts)].map((host) => {
    const fault = faults.find(({ proxy }) => proxy === host);
    const ways = `through ${host}: ${namesThrough(host)}\nwithout a proxy: ${namesThrough()}`;
    return { system: 'proxy', ...(fault ? fails(`${sayProxyFault(fault)}\n${ways}`) : works(ways)) };
  });
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
