import { Secret } from '../domain/secret.ts';
import { isLoopback } from '../http/hosts.ts';
import { type Proxies, type ProxyServer, parseNoProxy, proxyFor } from '../http/proxy.ts';
import type { Environment, Problem } from './environment.ts';

/** What is wrong with a proxy's address that {@link parseProxy} cannot read. */
export const PROXY_FAULT =
  'must be http://HOST:PORT or https://HOST:PORT, with USER:PASSWORD@ before the host if the proxy asks for them, and special characters as %XX';

/** Reads a proxy's address, in which a user and a password may stand. Returns undefined for any other text. */
export function parseProxy(text: string): ProxyServer | undefined {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash)
    return undefined;
  const [username, password] = [decoded(url.username), decoded(url.password)];
  if (username === undefined || password === undefined || username.includes(':')) return undefined;
  const account = username || password ? { username, password: new Secret(password) } : undefined;
  return { url: new URL(url.origin), account };
}

/** Returns undefined for text with a percent sign that is no escape, or with a control character (RFC 7617, section 2). */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Cc}/u.test(plain) ? undefined : plain;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}

const PROXY_NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

type ProxyFields = { [Name in (typeof PROXY_NAMES)[number]]?: ProxyServer | undefined } & {
  [Name in 'NO_PROXY' | 'no_proxy']?: string | undefined;
};

/** Returns the way out; undefined if no proxy is set. A name in lower case goes before the same name in upper case, as in curl. */
export function proxiesOf(f: ProxyFields): Proxies | undefined {
  const [https, http] = [f.https_proxy ?? f.HTTPS_PROXY, f.http_proxy ?? f.HTTP_PROXY];
  if (https === undefined && http === undefined) return undefined;
  const isDirect = parseNoProxy(f.no_proxy ?? f.NO_PROXY ?? '');
  if (isDirect === undefined) throw new TypeError('NO_PROXY has not been checked');
  return { https, http, isDirect };
}

/** Without a proxy, whatever stands in `NO_PROXY` harms nobody. */
export function noProxyProblems(env: Environment): Problem[] {
  const name = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  const hasProxy = PROXY_NAMES.some((each) => env[each] !== undefined);
  if (!hasProxy || parseNoProxy(env[name] ?? '') !== undefined) return [];
  const message =
    'must list hosts, domains (.example.com), addresses or networks (10.0.0.0/8), or *, with commas; :PORT may follow';
  return [{ name, message }];
}

/** Whether an http address is reached through a proxy on another machine. */
export function leavesMachine(env: Environment, url: URL): boolean {
  const http = parseProxy(env.http_proxy ?? env.HTTP_PROXY ?? '');
  const isDirect = parseNoProxy(env.no_proxy ?? env.NO_PROXY ?? '');
  if (url.protocol !== 'http:' || !http || !isDirect) return false;
  return !isLoopback(http.url.hostname) && proxyFor({ https: undefined, http, isDirect }, url) !== undefined;
}
