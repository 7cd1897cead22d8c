import { type Proxies, proxyFor } from '../../http/proxies.ts';
import { sayProxyFault } from '../../http/proxy-fault.ts';
import type { Settings } from '../../settings.ts';
import { authorityOf } from '../../teams/authentication/app-tokens.ts';
import { BOT_FRAMEWORK_METADATA } from '../../teams/authentication/signing-keys.ts';
import type { Examination } from './examination.ts';
import { type Diagnosis, type Finding, fails, works } from './finding.ts';

/** Says for each proxy which systems go through it, and what it refused to the checks before. */
export function examineProxies({ settings, proxyFaults }: Examination): Finding[] {
  const { proxies } = settings;
  if (proxies === undefined) return [];
  const hosts = [proxies.https, proxies.http].flatMap((proxy) => proxy?.url.host ?? []);
  return [...new Set(hosts)].map((host) => {
    const fault = proxyFaults.find(({ proxy }) => proxy === host);
    const ways = sayWays(host, proxies, settings);
    const diagnosis: Diagnosis = fault ? fails(`${sayProxyFault(fault)}\n${ways}`) : works(ways);
    return { system: 'proxy', ...diagnosis };
  });
}

function sayWays(host: string, proxies: Proxies, settings: Settings): string {
  const systems = systemsOf(settings);
  const through = systems.filter(([, url]) => proxyFor(proxies, url)?.url.host === host);
  const direct = systems.filter(([, url]) => proxyFor(proxies, url) === undefined);
  const names = (some: typeof systems) => [...new Set(some.map(([name]) => name))].join(', ') || 'nothing';
  return `through ${host}: ${names(through)}\nwithout a proxy: ${names(direct)}`;
}

/** Where Teams' replies go, one of several such hosts. */
const CHAT_SERVICE = new URL('https://smba.trafficmanager.net');

function systemsOf({ nac, webhook, authorize, ticket, identity }: Settings): Array<[name: string, url: URL]> {
  const systems: Array<[string, URL | undefined]> = [
    ...nac.addresses.map((url): [string, URL] => ['NAC', url]),
    ['authorization service', authorize?.url],
    ['ticket service', ticket?.url],
    ['webhook', webhook.address().base],
    ['token authority', identity && identity.type !== 'UserAssignedMSI' ? authorityOf(identity) : undefined],
    ['signing keys', identity && (identity.openIdMetadata ?? BOT_FRAMEWORK_METADATA)],
    ['chat service', identity && CHAT_SERVICE],
  ];
  return systems.flatMap(([name, url]) => (url ? [[name, url] as [string, URL]] : []));
}
