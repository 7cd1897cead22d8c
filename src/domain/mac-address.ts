import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A MAC-48 address in the one form that this project keeps: upper case, colons (`AA:BB:CC:DD:EE:FF`). */
export type MacAddress = string & { readonly __brand: 'MacAddress' };

/** An address as a {@link plainText} writes it. Doubtful: it may be any number, or words. */
export type Sighting = { address: MacAddress; start: number; end: number; isDoubtful: boolean };

/**
 * Returns the clear MAC addresses of a text once, in order of first appearance. Takes time linear in the text's length.
 * Known spellings, in any case: six pairs (`:` `-` `.` or spaces between; with colons also without leading zeros), three
 * groups of four (Cisco's dots, Huawei's hyphens, colons, spaces), two groups of six (HP's hyphen, a colon, a dot), twelve
 * digits bare. A label (`0x`, `SEP`, `AP`, `BRN`), a DHCP client id's type and a network's name next to an address are left
 * out. UUIDs, IPv6 addresses, EUI-64, bridges' ids and longer runs of hexadecimal groups hold no MAC address.
 * Decimal digits alone are no clear ones, unless colons or Cisco's dots part them, nor are spaced groups of letters alone.
 * @example findMacAddresses('printer (aabb.ccdd.eeff) is down.') // ['AA:BB:CC:DD:EE:FF']
 * @example findMacAddresses('ticket 202611221027') // []
 */
export function findMacAddresses(text: string): MacAddress[] {
  return uniqueAddresses(findSightings(plainText(text)).sightings.filter(({ isDoubtful }) => !isDoubtful));
}

/** Each address once, in order. */
export const uniqueAddresses = (all: readonly Sighting[] = []) => [
  ...new Set(all.map(({ address }) => address)),
];

/** Writes twelve hexadecimal digits as an address. */
export const toMacAddress = (digits: string) => digits.toUpperCase().replace(/..(?!$)/g, '$&:') as MacAddress;

/** Whether no single device has an address: the lowest bit of its first octet marks a group (IEEE 802-2014, clause 8.2.2). */
export const isGroup = (address: MacAddress) => /^(?:.[13579BDF]|(?:00:){5}00)/.test(address);

/** Whether the device made the address up itself, as phones and laptops do on Wi-Fi (IEEE 802c, the U/L bit). */
export const isLocallyAdministered = (address: MacAddress) => /^.[2367ABEF]/.test(address);

/**
 * Whether routers share an address: first-hop redundancy by Cisco's HSRP (RFC 2281; version 2; IPv6) and GLBP, and by VRRP
 * (RFC 9568, section 7.3).
 */
export const isGateway = (address: string) =>
  /^00:(?:00:0C:(?:07:AC:|9F:F)|05:73:A0:0|00:5E:00:0[12]:|07:B4:0.:..:)/.test(address);

/**
 * Returns a text with Unicode's dashes, colons, spaces, digits and full-width characters as ASCII, two spaces for a tab, and
 * without invisible characters. Web addresses write a colon as `%3A`, and as `%253A` inside one another. Cisco breaks a long
 * client id into lines.
 */
export function plainText(text: string): string {
  const spaced = text.replaceAll('\t', '  ');
  const plain = /^[ -~\n]*$/.test(spaced) ? spaced : inAscii(spaced); // Most texts are plain, and this test is quick.
  return plain.replace(/%(?:25)?3a(?=[0-9a-f])/gi, ':').replace(/\.\r?\n {2,}/g, '.');
}

const inAscii = (text: string) =>
  text
    .replace(/[\p{Cf}\p{Variation_Selector}]/gu, '')
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[^\P{Nd}\d]/gu, toDigit)
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/[\uFE55\uA789\u2236\u02D0\uFE13]/g, ':')
    .replace(/\p{Zs}/gu, ' ')
    .replace(UNSPACED, ' ');

/** Every script has its digits in a row, from zero. */
function toDigit(digit: string): string {
  const at = digit.codePointAt(0) ?? 0;
  let zero = at;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return `${(at - zero) % 10}`;
}

/** Scripts that put no spaces between words, or glue their particles. */
const SCRIPTS = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}]`;
/** Where one of them touches an ASCII letter or digit. */
const UNSPACED = new RegExp(`(?<=[a-z\\d])(?=${SCRIPTS})|(?<=${SCRIPTS})(?=[a-z\\d])`, 'giu');

/**
 * Names that devices make of their address. Cisco: SEP, ATA and AP. Brother: BRN and BRW. Ricoh: RNP. Xerox: XRX.
 * Lexmark: ET. Samsung: SEC. Linux: enx and wlx (systemd.net-naming-scheme). `0x` marks hexadecimal digits.
 */
const LABEL = '(?:0x|sep|ata|ap|br[nw]|rnp|xrx|et|sec|enx|wlx)(?=(?:\\w{4}|\\w{12})(?![\\p{L}\\p{N}]))';
/** A client id is the hardware type (01 is Ethernet) and the address (RFC 2132, section 9.14), where the text says so. */
const CLIENT_ID = '(?:client.?id(?:entifier)?|option.?61)\\W{0,8}0?1[:-]';

const HEX = '[\\da-f]';
/** A bridge's id is its priority and its address: `32768.001b.5400.0007`, `8000.001b54000007`. */
const PRIORITY = `(?<![\\w.-])(?:0x)?${HEX}{4,5}[./-]`;
const WORD = `(?<![\\p{L}\\p{N}])${HEX}{1,40}`;
function joined(groups: string, separator: string): string {
  const before = `(?:(?<!${WORD}${separator})|(?<=${CLIENT_ID}))`;
  return `${before}${groups}(?!${separator}${HEX}{1,40}(?![\\p{L}\\p{N}]))`;
}
const spaced = (size: number, more: number) =>
  `(?<!(?<!\\S)${HEX}{${size}} {1,2})${HEX}{${size}}(?: {1,2}${HEX}{${size}}){${more}}(?! {1,2}${HEX}{${size}}(?!\\S))`;
/**
 * macOS and net-snmp leave out the leading zeros of octets, all of them. Next to five whole octets, one digit has lost another
 * or its zero: nobody can know which.
 */
const SHORT = `(?!(?:${HEX}{2}:){5}${HEX}(?!\\w))[1-9a-f]?${HEX}(?::[1-9a-f]?${HEX}){5}`;
const FORMS = [
  ...[':', '-', '\\.'].map((separator) => {
    const groups = (size: number, more: number) => `${HEX}{${size}}(?:${separator}${HEX}{${size}}){${more}}`;
    const clientId = `01${HEX}{2}(?:${separator}${HEX}{4}){2}${separator}${HEX}{2}`;
    return joined(`(?:${groups(2, 5)}|${groups(4, 2)}|${groups(6, 1)}|${clientId})`, separator);
  }),
  joined(SHORT, ':'),
  joined(`${HEX}{12}`, '[:.-]'),
  spaced(2, 5),
  spaced(4, 2),
];
const ADDRESS = new RegExp(
  `(?<![\\p{L}\\p{N}]|(?<![g-z])::|${PRIORITY})(${LABEL})?(${FORMS.join('|')})(?![\\p{L}\\p{N}]|::)`,
  'giu',
);

/** Finds the places in a {@link plainText} that are written as MAC addresses are, in order. `rest` has spaces there. */
export function findSightings(plain: string): { sightings: Sighting[]; rest: string } {
  const sightings: Sighting[] = [];
  const rest = plain.replace(ADDRESS, (written, label: string | undefined, body: string, start: number) => {
    const octets = body.split(/[^\da-z]+/i).map((part) => part.padStart(2, '0'));
    const address = toMacAddress(octets.join('').slice(-12));
    const end = start + written.length;
    sightings.push({ address, start, end, isDoubtful: isDoubtful(label, body) });
    return ' '.repeat(written.length);
  });
  return { sightings, rest };
}

/**
 * Colons and Cisco's dots are clear; other decimal digits can be a telephone number, a ticket, a date or ports. Spaced groups
 * without a digit can be English words: `dead beef cafe`. Pointers begin with 0x7f or 0x55, no device's address does.
 */
function isDoubtful(label: string | undefined, body: string): boolean {
  if (label !== undefined) return /^0x$/i.test(label) && /^.[13579bdf]/i.test(body);
  return /^(?:.(?::.)+|(?!....\.)[\d .-]+|[a-f]{4}(?: [a-f]{4}){2})$/i.test(body);
}

/** Returns who made a network card, or the hypervisor of a virtual machine; undefined if neither is known. */
export function findMaker(address: MacAddress): string | undefined {
  if (isGroup(address)) return undefined;
  if (isLocallyAdministered(address)) return HYPERVISORS.find(([prefix]) => address.startsWith(prefix))?.[1];
  const digits = address.replaceAll(':', '');
  const owner = findEntry(digits.slice(0, 6));
  if (owner !== undefined && owner !== REGISTRAR) return owner;
  return findEntry(digits.slice(0, 9)) ?? findEntry(digits.slice(0, 7)) ?? owner;
}

/** Prefixes with the bit of private addresses, which are in no registry, and yet stay as they are. */
const HYPERVISORS = [
  ['52:54:00:', 'KVM (virtual machine)'],
  ['FE:54:00:', 'KVM (virtual machine)'],
  ['FA:16:3E:', 'OpenStack (virtual machine)'],
  ['02:42:', 'Docker (container)'],
  ['56:6F:', 'oVirt (virtual machine)'],
  ['02:50:56:', 'VMware (virtual machine)'],
] as const;

/** Owns the large blocks that are given out in smaller ones. The registries lack a few of these. */
const REGISTRAR = 'IEEE Registration Authority';

/**
 * The IEEE's registries (MA-L, MA-M and MA-S), from `oui-data`: JSON with an entry on each line, short prefixes before long
 * ones, and prefixes of one length in order (a test checks this). Read when first needed, and never parsed: that would cost
 * 50 ms and 30 MB.
 */
let registry: Buffer | undefined;

const [LINE_END, QUOTE] = [0x0a, 0x22]; // Node searches for a byte far faster than for a text.

/** Searches the lines by halves. A line looks like ` "001B54": "Cisco Systems, Inc\n...",`. */
function findEntry(prefix: string): string | undefined {
  registry ??= readFileSync(createRequire(import.meta.url).resolve('oui-data'));
  let low = registry.indexOf(LINE_END) + 1; // The first and the last line are brackets.
  let high = registry.lastIndexOf(LINE_END);
  while (low < high) {
    const start = registry.lastIndexOf(LINE_END, ((low + high) >> 1) - 1) + 1;
    const end = registry.indexOf(LINE_END, start);
    const found = registry.toString('latin1', start + 2, registry.indexOf(QUOTE, start + 2));
    if (found === prefix) {
      const entry = registry.toString('utf8', start + found.length + 5, end);
      return JSON.parse(entry.replace(/(?:\\n.*|"),?$/, '"')); // Without the maker's postal address.
    }
    const isBefore = found.length === prefix.length ? found < prefix : found.length < prefix.length;
    if (isBefore) low = end + 1;
    else high = start;
  }
  return undefined;
}
