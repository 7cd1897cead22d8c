import { isLoopback } from '../loopback.ts';

/** Where replies may go: host names, `*.` in front standing for any number of labels; `loopback` adds this machine. */
export type ServiceHosts = { names: readonly string[]; loopback: boolean };

/** The address of an activity's `serviceUrl` where a reply may be sent to it; else undefined. */
export type ServiceGate = (serviceUrl: string) => URL | undefined;

/** How many addresses are remembered, and how long they may be: a channel has a few, but strangers can make them up. */
const MOST_REMEMBERED = 100;
const LONGEST = 300;

/** {@link isAllowedServiceUrl}, which remembers its answers. */
export function createServiceGate(hosts: ServiceHosts): ServiceGate {
  const known = new Map<string, URL | undefined>();
  return (serviceUrl) => {
    if (known.has(serviceUrl)) return known.get(serviceUrl);
    const url = isAllowedServiceUrl(serviceUrl, hosts) ? new URL(serviceUrl) : undefined;
    if (serviceUrl.length > LONGEST) return url;
    for (const oldest of known.keys()) if (known.size >= MOST_REMEMBERED) known.delete(oldest);
    known.set(serviceUrl, url);
    return url;
  };
}

/** Whether a reply may be sent to an activity's `serviceUrl`. Plain http is for loopback alone. */
export function isAllowedServiceUrl(serviceUrl: string, hosts: ServiceHosts): boolean {
  const url = URL.canParse(serviceUrl) ? new URL(serviceUrl) : undefined;
  if (!url || url.username || url.password) return false;
  const local = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) return false;
  return (hosts.loopback && local) || hosts.names.some((name) => matches(url.hostname, name.toLowerCase()));
}

function matches(host: string, name: string): boolean {
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
}
