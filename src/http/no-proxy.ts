import { BlockList, isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';

/** Whether a host is reached without the proxy. @param host as in a URL, an IPv6 address without brackets */
export type IsDirect = (host: string, port: number) => boolean;

/**
 * Reads `NO_PROXY` (curl's `CURLOPT_NOPROXY`, and ports as Node and Go read them). Commas or blanks separate the entries:
 * - `*`: every host
 * - `example.com`, `.example.com`: the host itself, and every host below
 * - `*.example.com`: every host below
 * - `192.0.2.7`, `::1`, `[::1]`, `10.0.0.0/8`, `fd00::/8`: addresses that stand in a URL; no name is resolved
 *
 * `:PORT` behind any of these, with brackets around an IPv6 address, means that port alone.
 * @returns undefined for a text with any other entry
 */
export function parseNoProxy(text: string): IsDirect | undefined {
  const entries = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(parseEntry);
  return entries.every((entry) => entry !== undefined)
    ? (host, port) => entries.some((isDirect) => isDirect(host.replace(/\.$/, ''), port))
    : undefined;
}

function parseEntry(entry: string): IsDirect | undefined {
  const [, host = '', wanted] = isIPv6(entry) ? [entry, entry] : (ENTRY.exec(entry) ?? []);
  const isMeant = parseNetwork(host.replace(/^\[|\]$/g, '')) ?? parseDomain(host);
  return isMeant && ((name, port) => (wanted === undefined || Number(wanted) === port) && isMeant(name));
}

/** An address in brackets or a host, which holds a colon only within an IPv6 network; and a port. */
const ENTRY = /^(\[[^\]]+\]|[^:]+|[\da-f:]+\/\d+)(?::(\d{1,5}))?$/i;

function parseNetwork(text: string): ((host: string) => boolean) | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  if (version === 0 || Number(bits ?? most) > most) return undefined;
  const network = new BlockList();
  network.addSubnet(address, Number(bits ?? most), version === 6 ? 'ipv6' : 'ipv4');
  return (host) => isIP(host) !== 0 && network.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

function parseDomain(text: string): ((host: string) => boolean) | undefined {
  if (text === '*') return () => true;
  if (/[^\p{L}\p{N}_.*-]/u.test(text)) return undefined; // domainToASCII drops what follows a slash.
  const name = domainToASCII(text.replace(/^\*?\./, '').replace(/\.$/, ''));
  if (!/^(?:[\w-]+\.)*(?!\d+$)[\w-]+$/.test(name)) return undefined;
  return (host) => (host === name && !text.startsWith('*')) || host.endsWith(`.${name}`);
}
