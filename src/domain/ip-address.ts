import { isIPv4, isIPv6 } from 'node:net';

/** Dotted IPv4 (an IPv4-mapped address, too), or IPv6 as RFC 5952 writes it: lower case, shortened, without a zone. */
export type IpAddress = string & { readonly __brand: 'IpAddress' };
/** The meaning of an address; only a `device` can have a session (RFC 6890). */
export type IpKind = 'device' | 'unspecified' | 'loopback' | 'multicast' | 'broadcast';

/** A word that is an IP address; undefined: it was meant as one, but is a network, a mask or a range, or has wrong numbers. */
export type IpSighting = { word: string; start: number; end: number; address: IpAddress | undefined };

/** The longest address is 39 characters long; brackets, a zone and a port come on top. */
const MAX_LENGTH = 100;
/** Every IP address holds this, whole or with a slip. */
const IP_LIKE = /\.[\d*x]|[\da-f]:|::/i;

/** A word, and its network's length or mask; of a web address the host alone. */
const WORD =
  /(?<![\p{L}\p{N}_.:%*[\]-]|(?<!\d|:\/)\/)[\p{L}\p{N}_.:%*[\]-]+(?:\/(?:\d{1,3}|(?:255|0)[.\d]*)(?![\w/]))?/gu;

/** Finds the words of a plain text that are IP addresses, or were meant as such. Takes linear time. */
export const findIpAddresses = (plain: string): IpSighting[] =>
  [...plain.matchAll(WORD)].flatMap(({ 0: word, index }) => (IP_LIKE.test(word) ? readAt(word, index) : []));

/** Reads a word without a label before it (`ip:`) and without the punctuation around it. */
function readAt(whole: string, start: number): IpSighting[] {
  if (whole.length > MAX_LENGTH) return [];
  const [label = ''] = /^[\p{L}\p{N}_-]*:(?!:)/u.exec(whole) ?? [];
  const bare = /[^\da-f:]/i.test(label) ? whole.slice(label.length) : whole;
  const word = bare.replace(/^[._*-]+|^:(?!:)/, '').replace(/[._-]+$|(?<!:):$|(?<!\.)\*+$/, '');
  const isOpen = word.includes('[') !== word.includes(']');
  const read = readIpWord(isOpen ? word.replace(/^\[|\]$/g, '') : word);
  if (read === undefined) return [];
  return [{ word, start, end: start + whole.length, address: read === 'fault' ? undefined : read }];
}

/**
 * Reads a word of ASCII as an IP address. A port, brackets and a zone are cut off. `fault`: it was meant as one. Undefined: it was
 * not; pairs of digits are meant as a MAC address.
 * @example readIpWord('[2001:DB8::1]:443') // '2001:db8::1'
 */
export function readIpWord(word: string): IpAddress | 'fault' | undefined {
  const [plain = '', prefix] = word.split('/', 2);
  const [first = '', last] = plain.split('-', 2);
  const read = readOne(first);
  if (last !== undefined)
    return read && (/^[\da-f]{1,4}$/i.test(last) || readOne(last)) ? 'fault' : undefined;
  if (prefix === undefined || read === undefined) return read;
  return Number(prefix) >= (isIPv4(read) ? 32 : 128) ? read : 'fault'; // Firewalls write `address/port`.
}

function readOne(word: string): IpAddress | 'fault' | undefined {
  const [, bracketed = word] = /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(word) ?? [];
  const [text = ''] = bracketed.split('%', 1);
  return text.includes('.') && !/::|:.*:/.test(text)
    ? readDotted(text.replace(/:\d{1,5}$/, ''))
    : readColons(text);
}

function readDotted(text: string): IpAddress | 'fault' | undefined {
  const parts = text.split('.');
  const isPairs = parts.length === 6 && parts.every(({ length }) => length === 2);
  const isShort = parts.length === 4 || parts.every(({ length }) => length <= 3);
  const isCisco = parts.length === 4 && parts.slice(1, 3).every(({ length }) => length === 4);
  if (isPairs || isCisco || !isShort || !/^\d+(?:\.(?:\d+|[*x]))+$/i.test(text)) return undefined;
  const isMask = text.startsWith('255.') && text !== '255.255.255.255';
  return isIPv4(text) && !isMask ? (text as IpAddress) : 'fault';
}

function readColons(text: string): IpAddress | 'fault' | undefined {
  // A MAC address with a slip (`00:1B:54::00:07`) would be a valid IPv6 address, and so would an EUI-64.
  if (!text.includes(':') || /^(?:[\da-f]{2}::?){3,}[\da-f]{2}$/i.test(text)) return undefined;
  if (!isIPv6(text))
    return /^[\da-f]{0,4}:[\da-z:.]*$/i.test(text) && text.includes('::') ? 'fault' : undefined;
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1);
  // The last 32 bits of `::ffff:c633:6417` are an IPv4 address (RFC 4291, section 2.5.5.2).
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(address)?.slice(1);
  const octets = mapped
    ?.map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 255]);
  return (octets?.join('.') ?? address) as IpAddress;
}

export function ipKindOf(address: IpAddress): IpKind {
  if (address === '0.0.0.0' || address === '::') return 'unspecified';
  if (address === '::1' || address.startsWith('127.')) return 'loopback';
  if (address === '255.255.255.255') return 'broadcast';
  const first = Number.parseInt(address, 10);
  const isMulticast = isIPv4(address) ? first >= 224 && first <= 239 : /^ff[\da-f]{2}:/.test(address);
  return isMulticast ? 'multicast' : 'device';
}
