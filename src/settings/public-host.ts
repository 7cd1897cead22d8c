import { domainToASCII } from 'node:url';
import { isLoopback } from '../http.ts';

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

/** The bot's address at a public host: https, on port 443; on loopback http, with any port, because no proxy ends TLS there. */
export function parsePublicUrl(text: string): URL | undefined {
  const local = URL.parse(`http://${hostOf(text)}`);
  if (local && isLoopback(local.hostname)) return local.username || local.password ? undefined : local;
  const name = parsePublicHost(text);
  return name === undefined ? undefined : new URL(`https://${name}`);
}

function hostOf(text: string): string {
  return text.trim().replace(/^https?:\/\/|[/?#].*$/gi, '');
}
