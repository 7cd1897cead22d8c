import { domainToASCII } from 'node:url';
import { Secret } from '../domain/secret.ts';
import type { ProxyServer } from '../http/proxy.ts';
import { isLoopback } from '../http.ts';

/** Whether HTTP Basic can carry a user name or a password (RFC 7617, section 2). */
export const isBasicPart = (text: string) => !/\p{Cc}/u.test(text);

/** Whether a token of alerts is long enough: requests guess two characters within a second. */
export const isAlertsToken = (text: string) => text.length >= 16;

/** Reads keys of 32 bytes in base64: the one that seals, and perhaps an older one that is still read. */
export function parseKeys(text: string) {
  const isKey = (each: string) =>
    /^[A-Za-z0-9+/]+={0,2}$/.test(each) && Buffer.from(each, 'base64').length === 32;
  const [first = '', ...older] = text.split(',').map((key) => key.trim());
  if (older.length > 1 || ![first, ...older].every(isKey)) return undefined;
  return [new Secret(first), ...older.map((key) => new Secret(key))] as const;
}

export function parseList(text: string): readonly string[] | undefined {
  const items = text.split(',').flatMap((item) => item.trim() || []);
  return items.length > 0 ? items : undefined;
}

/** Parses a pasted http or https address, with blanks around it. */
export function parseHttpUrl(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Likewise, without user name, query and fragment. */
export function parseUrl(text: string): URL | undefined {
  const url = parseHttpUrl(text);
  return url?.username || url?.password || url?.search || url?.hash ? undefined : url;
}

/** Reads a proxy's address, in which a user and a password may stand. */
export function parseProxy(text: string): ProxyServer | undefined {
  const url = parseHttpUrl(text);
  if (url?.pathname !== '/' || url.search || url.hash) return undefined;
  const [username, password] = [decoded(url.username), decoded(url.password)];
  if (username === undefined || password === undefined || username.includes(':')) return undefined;
  const account = username || password ? { username, password: new Secret(password) } : undefined;
  return { url: new URL(url.origin), account };
}

/** Returns undefined for text with a percent sign that is no escape, or that HTTP Basic cannot carry. */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return isBasicPart(plain) ? plain : undefined;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}

/** Reads a pasted address whose `{mac}` can become a MAC address. */
export function parseNacLink(text: string): string | undefined {
  const link = text.trim();
  // In a user name, host or port, the colons of a MAC address make another address or none.
  const filled = URL.parse(link.replaceAll('{mac}', '00:00:00:00:00:00'));
  const isFit = filled?.protocol === 'https:' && !filled.username && !filled.password;
  return isFit && link.includes('{mac}') ? link : undefined;
}

export const PUBLIC_HOST_FAULT =
  'must be a full DNS host name without port, user name or path, for example bot.example.com';

/** Two or more labels of letters, digits and inner hyphens (RFC 1123, section 2.1); the last label is not a number. */
const DNS_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Reads a DNS name, or a pasted http or https address, of which only the host is kept, in lower case and ASCII. */
export function parsePublicHost(text: string): string | undefined {
  const name = domainToASCII(hostOf(text));
  return DNS_NAME.test(name) ? name : undefined;
}

/**
 * Returns the address of the bot at a public host: https, on port 443. A loopback host may have a port and is on http,
 * because no proxy ends TLS there.
 */
export function parsePublicUrl(text: string): URL | undefined {
  const local = URL.parse(`http://${hostOf(text)}`);
  if (local && isLoopback(local.hostname)) return local.username || local.password ? undefined : local;
  const name = parsePublicHost(text);
  return name === undefined ? undefined : new URL(`https://${name}`);
}

function hostOf(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '');
}
