import { isLoopback } from './loopback.ts';

/** Where replies may go: host names, `*.` in front standing for any number of labels; `loopback` adds this machine. */
export type ServiceHosts = { names: readonly string[]; loopback: boolean };

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
