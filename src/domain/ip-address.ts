import { isIPv4, isIPv6 } from 'node:net';

/** Dotted IPv4 (an IPv4-mapped address, too), or IPv6 as RFC 5952 writes it: lower case, shortened, without a zone. */
export type IpAddress = string & { readonly __brand: 'IpAddress' };
/** What an address can stand for; only a `device` can have a session (RFC 6890). */
export type IpKind = 'device' | 'unspecified' | 'loopback' | 'multicast' | 'broadcast';

export type IpFault =
  | { kind: 'over 255'; part: string }
  | { kind: 'parts'; count: number }
  /** `decimal`: the address if the zeros mean nothing. Some systems read such a number as octal. */
  | { kind: 'leading zeros'; decimal: IpAddress }
  | { kind: 'network' }
  | { kind: 'range' }
  | { kind: 'malformed' };

export type IpWord = { kind: 'address'; address: IpAddress } | { kind: 'fault'; fault: IpFault };
/** The longest address is 39 characters long; brackets, a zone and a port come on top. */
const LONGEST = 100;

/**
 * Reads a word of ASCII as an IP address. A port, brackets and a zone are cut off. Returns undefined if the word is not
 * meant as an IP address; pairs of digits are meant as a MAC address.
 * @example readIpWord('[2001:DB8::1]:443') // { kind: 'address', address: '2001:db8::1' }
 */
export function readIpWord(word: string): IpWord | undefined {
  if (word.length > LONGEST) return undefined;
  const [plain = '', prefix] = word.split('/', 2);
  const read = readRange(plain) ?? readOne(plain);
  if (prefix === undefined || read === undefined) return read;
  if (read.kind === 'fault') return read.fault.kind === 'parts' ? NETWORK : read;
  const bits = isIPv4(read.address) ? 32 : 128;
  return Number(prefix) >= bits ? read : NETWORK; // Firewalls write `address/port`.
}

export function ipKindOf(address: IpAddress): IpKind {
  if (address === '0.0.0.0' || address === '::') return 'unspecified';
  if (address === '::1' || address.startsWith('127.')) return 'loopback';
  if (address === '255.255.255.255') return 'broadcast';
  const first = Number.parseInt(address, 10);
  const isMulticast = isIPv4(address) ? first >= 224 && first <= 239 : /^ff[0-9a-f]{2}:/.test(address);
  return isMulticast ? 'multicast' : 'device';
}

const faulty = (fault: IpFault): IpWord => ({ kind: 'fault', fault });
const NETWORK = faulty({ kind: 'network' });
export const RANGE = faulty({ kind: 'range' });

/** `198.51.100.1-20`, `198.51.100.1-198.51.100.9` and `198.51.100.*` are ranges. */
function readRange(word: string): IpWord | undefined {
  if (/^\d{1,3}(?:\.(?:\d{1,3}|[*x])){1,3}$/i.test(word) && /[*x]/i.test(word)) return RANGE;
  const [first = '', last, ...others] = word.split('-');
  if (last === undefined || others.length > 0 || readOne(first)?.kind !== 'address') return undefined;
  return /^[0-9a-f]{1,4}$/i.test(last) || readOne(last) ? RANGE : undefined;
}

function readOne(word: string): IpWord | undefined {
  const [, bracketed = word] = /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(word) ?? [];
  const [text = ''] = bracketed.split('%', 1);
  return text.includes('.') && !text.includes('::') && !/:.*:/.test(text)
    ? readDotted(text.replace(/:\d{1,5}$/, ''))
    : readColons(text);
}

function readDotted(text: string): IpWord | undefined {
  if (!/^\d+(?:\.\d+)+$/.test(text)) return undefined;
  const parts = text.split('.');
  const isPairs = parts.length === 6 && parts.every(({ length }) => length === 2);
  const isShort = parts.length === 4 || parts.every(({ length }) => length <= 3);
  const isCisco = parts.length === 4 && parts.slice(1, 3).every(({ length }) => length === 4);
  if (isPairs || isCisco || !isShort) return undefined;
  if (parts.length !== 4) return faulty({ kind: 'parts', count: parts.length });
  const tooLarge = parts.find((part) => Number(part) > 255);
  if (tooLarge !== undefined) return faulty({ kind: 'over 255', part: tooLarge });
  const decimal = parts.map(Number).join('.') as IpAddress;
  if (parts[0] === '255' && decimal !== '255.255.255.255') return NETWORK; // A mask.
  return decimal === text
    ? { kind: 'address', address: decimal }
    : faulty({ kind: 'leading zeros', decimal });
}

function readColons(text: string): IpWord | undefined {
  // A MAC address with a slip (`00:1B:54::00:07`) would be a valid IPv6 address, and so would an EUI-64.
  if (!text.includes(':') || /^(?:[0-9a-f]{2}::?){3,}[0-9a-f]{2}$/i.test(text)) return undefined;
  if (!isIPv6(text)) return isMeantAsIpv6(text) ? faulty({ kind: 'malformed' }) : undefined;
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1);
  // The last 32 bits of `::ffff:c633:6417` are an IPv4 address (RFC 4291, section 2.5.5.2).
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address)?.slice(1);
  const octets = mapped
    ?.map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 255]);
  return { kind: 'address', address: (octets?.join('.') ?? address) as IpAddress };
}

function isMeantAsIpv6(text: string): boolean {
  const isShortened = text.includes('::') && /^[0-9a-f]{0,4}:[0-9a-z:.]*$/i.test(text);
  const groups = /^[0-9a-f:]+$/i.test(text) ? text.split(':') : [];
  const isEven = groups.every(({ length }) => length === groups[0]?.length);
  const isLocalOrGlobal = /^(?:[23]|f[c-f])[0-9a-f]+:/i.test(text) && groups[0]?.length === 4;
  // Six octets can stand with a hardware type before them, or with a network's name behind.
  const isMac = groups.length === 7 && groups.slice(0, 6).every(({ length }) => length <= 2);
  return isShortened || (!isEven && !isMac && (groups.length > 6 || isLocalOrGlobal));
}
