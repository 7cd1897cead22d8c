import { systemClock } from '../../app/start.ts';
import type { Upstreams } from '../../app/upstreams.ts';
import type { ProxyFault } from '../../domain/outcome.ts';
import { proxyFor, sayProxyFault } from '../../http/proxy.ts';
import type { HttpHeaders, Upstream } from '../../http.ts';
import type { Settings } from '../../settings.ts';
import { authorityOf } from '../../teams/authentication/app-tokens.ts';
import { BOT_FRAMEWORK_METADATA } from '../../teams/authentication/channel-token.ts';
import { type Diagnosis, type Finding, fails, skipped, warning, works } from './table.ts';

/** From here on tokens are refused; below, nothing yet. */
const TOO_FAR_MS = 60_000;
const FAR_MS = 5000;

/** Whose time counts, the first that said it: the systems that judge tokens by their own clocks come first. */
const CLOCKS: ReadonlyArray<[name: string, whose: string]> = [
  ['authority', 'the token authority'],
  ['keys', 'the signing keys'],
  ['nac', 'the NAC'],
  ['authorize', 'the authorization service'],
  ['ticket', 'the ticket service'],
  ['webhook', 'the webhook'],
];

/** How far this machine's clock is ahead of each upstream's, by its last answer with a `Date` (milliseconds). */
type Ahead = ReadonlyMap<string, number>;

/** Has each upstream note how far this machine's clock is ahead. */
export function watchClocks(opened: Upstreams): { upstreams: Upstreams; ahead: Ahead } {
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
  if (Number.isNaN(date)) return undefined;
  return Math.max(from - (date + 999), 0) + Math.min(to - date, 0);
}

/** Judges this machine's clock by the first system that said its time. */
export function examineClock(ahead: Ahead): Finding {
  for (const [name, whose] of CLOCKS) {
    const aheadMs = ahead.get(name);
    if (aheadMs !== undefined) return { system: 'clock', ...compare(aheadMs, whose) };
  }
  return { system: 'clock', ...skipped('no system answered with its time') };
}

function compare(aheadMs: number, whose: string): Diagnosis {
  const distance = Math.abs(aheadMs);
  if (distance < FAR_MS) return works(`this machine's clock agrees with that of ${whose}`);
  const seconds = Math.round(distance / 1000);
  const what = `this machine's clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of ${whose}`;
  const cure = 'have this machine set its clock by NTP (timedatectl set-ntp true)';
  return distance > TOO_FAR_MS ? fails(`${what}, so that tokens get refused`, cure) : warning(what, cure);
}

/** Where Teams' replies go, one of several such hosts. */
const CHAT_SERVICE = new URL('https://smba.trafficmanager.net');

/** Says for each proxy which systems go through it, and what it refused to the checks before. */
export function examineProxies(settings: Settings, faults: readonly ProxyFault[]): Finding[] {
  const { nac, webhook, authorize, ticket, identity, proxies } = settings;
  if (proxies === undefined) return [];
  const systems: Array<[string, URL | undefined]> = [
    ...nac.addresses.map((url): [string, URL] => ['NAC', url]),
    ['authorization service', authorize?.url],
    ['ticket service', ticket?.url],
    ['webhook', webhook.address().base],
    ['token authority', identity && identity.type !== 'UserAssignedMSI' ? authorityOf(identity) : undefined],
    ['signing keys', identity && (identity.openIdMetadata ?? BOT_FRAMEWORK_METADATA)],
    ['chat service', identity && CHAT_SERVICE],
  ];
  const namesThrough = (host: string | undefined) => {
    const through = systems.filter(([, url]) => url && proxyFor(proxies, url)?.url.host === host);
    return [...new Set(through.map(([name]) => name))].join(', ') || 'nothing';
  };
  const hosts = [proxies.https, proxies.http].flatMap((proxy) => proxy?.url.host ?? []);
  return [...new Set(hosts)].map((host) => {
    const fault = faults.find(({ proxy }) => proxy === host);
    const ways = `through ${host}: ${namesThrough(host)}\nwithout a proxy: ${namesThrough(undefined)}`;
    return { system: 'proxy', ...(fault ? fails(`${sayProxyFault(fault)}\n${ways}`) : works(ways)) };
  });
}
