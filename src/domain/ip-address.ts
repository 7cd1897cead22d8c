import { isIPv4, isIPv6 } from 'node:net';

/** Dotted IPv4 (an IPv4-mapped address, too), or IPv6 as RFC 5952 writes it: lower case, shortened, without a zone. */
export type IpAddress = string & { readonly __brand: 'IpAddress' };

/** A word, and its network's length or mask; of a web address the host alone. */
const WORD =
  /(?<![\p{L}\p{N}_.:%*[\]-]|(?<!\d|:\/)\/)[\p{L}\p{N}_.:%*[\]-]+(?:\/(?:\d{1,3}|(?:255|0)[.\d]*)(?![\w/]))?/gu;

/** Finds the IP addresses of a plain text. `rest` has spaces in their places. Takes linear time. */
export function findIpAddresses(plain: string): { found: IpAddress[]; rest: string } {
  const found: IpAddress[] = [];
  const rest = plain.replace(WORD, (word) => {
    const address = /\.\d|[\da-f]:|::/i.test(word) ? readIpWord(withoutLabel(word)) : undefined;
    if (address) found.push(address);
    return address ? ' '.repeat(word.length) : word;
  });
  return { found, rest };
}

/** Cuts off a label (`ip:`), and the punctuation around a word. */
function withoutLabel(whole: string): string {
  if (whole.length > 100) return ''; // An address has at most 39, brackets, a zone and a port.
  const [label = ''] = /^[\p{L}\p{N}_-]*:(?!:)/u.exec(whole) ?? [];
  const bare = /[^\da-f:]/i.test(label) ? whole.slice(label.length) : whole;
  const word = bare.replace(/^[._*-]+|^:(?!:)/, '').replace(/[._-]+$|(?<!:):$|(?<!\.)\*+$/, '');
  return word.includes('[') === word.includes(']') ? word : word.replace(/^\[|\]$/g, '');
}

/**
 * Reads a word of ASCII as an IP address. A port, brackets and a zone are cut off. Undefined for networks, masks and ranges, too;
 * pairs of digits are meant as a MAC address.
 * @example readIpWord('[2001:DB8::1]:443') // '2001:db8::1'
 */
export function readIpWord(word: string): IpAddress | undefined {
  const [plain = '', prefix = '128'] = word.split('/', 2);
  const [, bracketed = plain] = /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(plain) ?? [];
  const [text = ''] = bracketed.split('%', 1);
  const dotted = text.replace(/^::ffff:(?=\d+\.)|:\d{1,5}$/gi, ''); // Of an IPv4-mapped address, or with a port.
  if (!isIPv4(dotted)) return Number(prefix) >= 128 ? readColons(text) : undefined;
  const isMask = /^255\.(?!255\.255\.255$)/.test(dotted);
  return Number(prefix) >= 32 && !isMask ? (dotted as IpAddress) : undefined; // Firewalls write `address/port`.
}

function readColons(text: string): IpAddress | undefined {
  // A MAC address with a slip (`00:1B:54::00:07`) would be a valid IPv6 address, and so would an EUI-64.
  if (!isIPv6(text) || /^(?:[\da-f]{2}::?){3,}[\da-f]{2}$/i.test(text)) return undefined;
  return new URL(`http://[${text}]`).hostname.slice(1, -1) as IpAddress;
}
