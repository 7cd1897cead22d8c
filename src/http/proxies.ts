import type { ProxyFault } from '../domain/outcome.ts';
import type { IsDirect } from './no-proxy.ts';

/** A proxy: its address without user and password, which stand apart. */
export type ProxyServer = {
  url: URL;
  account: { username: string; password: { reveal(): string } } | undefined;
};

/** The way out: a proxy for https addresses, one for http addresses, and the hosts that are reached without. */
export type Proxies = { https: ProxyServer | undefined; http: ProxyServer | undefined; isDirect: IsDirect };

/** Where a connection goes: `hostname` of an IPv6 address with or without brackets, and a port or ''. */
export type Destination = { protocol: string; hostname: string; port: string };

/** Returns the proxy on the way to an address; undefined if the way is direct. Loopback is no exception. */
export function proxyFor(
  proxies: Proxies,
  { protocol, hostname, port }: Destination,
): ProxyServer | undefined {
  const isHttps = protocol === 'https:';
  const proxy = isHttps ? proxies.https : proxies.http;
  const isDirect = proxies.isDirect(hostname.replace(/^\[|\]$/g, ''), Number(port || (isHttps ? 443 : 80)));
  return isDirect ? undefined : proxy;
}

/** Returns the proxy that gets whole addresses over plain http; undefined for https, where the connection makes a tunnel. */
export function plainProxyFor(proxies: Proxies, origin: string): ProxyServer | undefined {
  return origin.startsWith('http:') ? proxyFor(proxies, new URL(origin)) : undefined;
}

/** The header that carries a proxy's user and password (RFC 7617); no header without a user. */
export function proxyAuthorization({ account }: ProxyServer): Record<string, string> {
  if (account === undefined) return {};
  const pair = Buffer.from(`${account.username}:${account.password.reveal()}`);
  return { 'proxy-authorization': `Basic ${pair.toString('base64')}` };
}

/** The proxy failed, and not the system behind it. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly fault: ProxyFault;
  /** undici tries forever to connect again after some codes of its own. */
  readonly code = 'PROXY';

  constructor(fault: ProxyFault) {
    super(`the proxy ${fault.proxy} lets nothing through: ${fault.code}`);
    this.fault = fault;
  }
}
