import { LRUCache } from 'lru-cache';

/** Where replies may go: host names, in which a leading `*.` stands for one or more labels; `loopback` adds this machine. */
export type ServiceHosts = { names: readonly string[]; loopback: boolean };

/** Returns the address of an activity's `serviceUrl` if a reply may be sent there; else undefined. */
export type ServiceGate = (serviceUrl: string) => URL | undefined;

/** Creates an {@link isAllowedServiceUrl} that remembers its answers. */
export function createServiceGate(hosts: ServiceHosts): ServiceGate {
  // A channel has a few addresses, but strangers can make up any number, of any length.
  const known = new LRUCache<string, URL | 'refused'>({
    maxSize: 30_000,
    maxEntrySize: 300,
    sizeCalculation: (_answer, serviceUrl) => serviceUrl.length + 1,
    memoMethod: (serviceUrl) => (isAllowedServiceUrl(serviceUrl, hosts) ? new URL(serviceUrl) : 'refused'),
  });
  return (serviceUrl) => {
    const answer = known.memo(serviceUrl);
    return answer === 'refused' ? undefined : answer;
  };
}

/** Whether a reply may be sent to an activity's `serviceUrl`. Plain http is for loopback alone. */
export function isAllowedServiceUrl(serviceUrl: string, hosts: ServiceHosts): boolean {
  const url = URL.canParse(serviceUrl) ? new URL(serviceUrl) : undefined;
  if (!url || url.username || url.password) return false;
  const local = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) return false;
  return (hosts.loopback && local) || hosts.names.some((name) => matches(url, name.toLowerCase()));
}

/** @param name a host, `*.` in front for any labels, `:PORT` behind for a port other than 443; loopback may use any port */
function matches({ hostname, port }: URL, name: string): boolean {
  const [, host = '', wanted = isLoopback(hostname) ? port : '443'] = /^(.*?)(?::(\d+))?$/.exec(name) ?? [];
  if (port !== wanted && (port || '443') !== wanted) return false;
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
}

/** Whether a host name or address, as in a URL or a listener, stands for this machine itself (RFC 6890, RFC 6761). */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  return /^(?:(?:.*\.)?localhost|::1|127(?:\.\d{1,3}){3})$/s.test(name);
}
