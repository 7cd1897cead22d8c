import { normalise } from './text.ts';

/** A MAC-48 address in the one form that this project keeps: upper case, colons (`AA:BB:CC:DD:EE:FF`). */
export type MacAddress = string & { readonly __brand: 'MacAddress' };
/** How an address is written in a path: `AA:BB:CC:DD:EE:FF` or `AA-BB-CC-DD-EE-FF`. */
export type MacForm = 'colon' | 'hyphen';
/** The meaning of an address; only a `device` has a session (IEEE 802-2014, clause 8.2). */
export type MacKind = 'device' | 'zero' | 'broadcast' | 'multicast';

/** An address as a {@link plainText} writes it. Doubtful: it may be any number, or words. */
export type Sighting = { address: MacAddress; start: number; end: number; isDoubtful: boolean };

/**
 * Returns the clear MAC addresses of a text once, in order of first appearance. Takes time linear in the text's length.
 * Known spellings, in any case: six pairs (`:` `-` `.` or spaces between; with colons also without leading zeros), three
 * groups of four (Cisco's dots, Huawei's hyphens, colons, spaces), two groups of six (HP's hyphen, a colon, a dot), twelve
 * digits bare. A label (`0x`, `SEP`, `AP`, `BRN`), a bridge's priority, a DHCP client id's type and a network's name beside
 * an address are left out. UUIDs, IPv6 addresses, EUI-64 and longer runs of hexadecimal groups hold no MAC address.
 * Decimal digits alone are doubtful, unless colons or Cisco's dots part them, and so are spaced groups of letters alone.
 * @param reading `wide` takes doubtful ones too
 * @example findMacAddresses('printer (aabb.ccdd.eeff) is down.') // ['AA:BB:CC:DD:EE:FF']
 * @example findMacAddresses('ticket 202611221027') // []
 */
export function findMacAddresses(text: string, reading: 'strict' | 'wide' = 'strict'): MacAddress[] {
  const all = findSightings(plainText(text)).filter((each) => reading === 'wide' || !each.isDoubtful);
  return [...new Set(all.map(({ address }) => address))];
}

export function formatMacAddress(address: MacAddress, form: MacForm): string {
  return form === 'colon' ? address : address.replaceAll(':', '-');
}

/** Writes twelve hexadecimal digits as an address. */
export const toMacAddress = (digits: string) => digits.toUpperCase().replace(/..(?!$)/g, '$&:') as MacAddress;

/** The lowest bit of the first octet marks a group (IEEE 802-2014, clause 8.2.2). */
export function kindOf(address: MacAddress): MacKind {
  if (address === '00:00:00:00:00:00') return 'zero';
  if (address === 'FF:FF:FF:FF:FF:FF') return 'broadcast';
  return Number.parseInt(address.slice(0, 2), 16) & 1 ? 'multicast' : 'device';
}

/** Whether the device made the address up itself, as phones and laptops do on Wi-Fi (IEEE 802c, the U/L bit). */
export function isLocallyAdministered(address: MacAddress): boolean {
  return (Number.parseInt(address.slice(0, 2), 16) & 2) !== 0;
}

/**
 * Returns a text with Unicode's dashes, colons and spaces as ASCII, two spaces for a tab, and without invisible characters.
 * Web addresses write a colon as `%3A`, and as `%253A` inside one another. Cisco breaks a long client id into lines.
 */
export function plainText(text: string): string {
  const plain = normalise(text.replaceAll('\t', '  '));
  const decoded = plain.includes('%') ? plain.replace(/%(?:25)?3a(?=[0-9a-f])/gi, ':') : plain;
  return decoded.replace(/\.\r?\n {2,}/g, '.');
}

/**
 * Names that devices make of their address. Cisco: SEP, ATA and AP. Brother: BRN and BRW. Ricoh: RNP. Xerox: XRX.
 * Lexmark: ET. Samsung: SEC. Linux: enx and wlx (systemd.net-naming-scheme). `0x` marks hexadecimal digits.
 */
const LABEL = '(?:0x|sep|ata|ap|br[nw]|rnp|xrx|et|sec|enx|wlx)(?=(?:\\w{4}|\\w{12})(?![\\p{L}\\p{N}]))';
const LABELLED = new RegExp(`^${LABEL}`, 'iu');
/** Hexadecimal words with one separator, or spaces, between them. */
const RUN = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${LABEL})?[\\da-f]+(?:(?:[-:.]| {1,2})[\\da-f]+)*(?![\\p{L}\\p{N}])`,
  'giu',
);

/** Returns the places in a {@link plainText} that are written as MAC addresses are, in order. */
export function findSightings(plain: string): Sighting[] {
  return [...plain.matchAll(RUN)].flatMap(({ 0: run, index }) =>
    run.length < 11
      ? []
      : segmentsOf(run).flatMap(({ start, end }) => readSegment(plain, index, run, start, end)),
  );
}

/** Parts a run where the separator changes: the group there belongs to both. Words of one length with spaces stay together. */
function segmentsOf(run: string): Array<{ start: number; end: number }> {
  const segments: Array<{ start: number; end: number }> = [];
  let size = 0; // Of the single words before; 0: there are none.
  for (const { 0: word, index } of run.matchAll(/[^ ]+/g)) {
    const last = segments.at(-1);
    const isSingle = /^\w+$/.test(word);
    if (isSingle && last && size === word.length && size < 12) last.end = index + size;
    else if (isSingle) segments.push({ start: index, end: index + word.length });
    else
      for (let from = 0; from < word.length; ) {
        SAME_GAP.lastIndex = from;
        const [same = word, , lastGroup = ''] = SAME_GAP.exec(word) ?? [];
        segments.push({ start: index + from, end: index + from + same.length });
        from += same.length - (from + same.length < word.length ? lastGroup.length : 0);
      }
    size = isSingle ? word.length : 0;
  }
  return segments;
}

const SAME_GAP = /\w+([-:.])(?:\w+\1)*(\w+)/y;

/**
 * The forms of an address in a segment. macOS and net-snmp leave out the leading zeros of octets, all of them. Beside five
 * whole octets, one digit has lost another or its zero: nobody can tell which.
 */
const PAIRS = '\\w\\w(?:\\W\\w\\w){5}';
const SHORT = '(?!(?:\\w\\w:){5}\\w$)[1-9a-f]?\\w(?::[1-9a-f]?\\w){5}';
const FOURS = '\\w{4}[-.]\\w{4}[-.]\\w{4}';
const BARE = '\\w{12}';
const ADDRESS = new RegExp(
  `^(?:${PAIRS}|${SHORT}|${FOURS}|\\w{4}[: ]\\w{4}[: ]\\w{4}|\\w{6}[-:.]\\w{6}|${BARE})$`,
  'i',
);
const LABELLED_ADDRESS = new RegExp(`^(?:${FOURS}|${BARE})$`);
/** A bridge's priority in decimal digits before a dot (`32778.001b.5400.0007`), or as four hexadecimal digits. */
const PRIORITY =
  /^(?:(?:0|4096|8192|[1-6]\d{4})\.(?=\w{4}\.|\w{12}$)|(?:[\da-f]000|8[\da-f]{3})\.(?=\w{12}$))/i;
/** A called station's network can have a hexadecimal name (`00:1b:54:00:00:07:cafe`; RFC 3580, section 3.20). */
const NETWORK = new RegExp(`(?<=^(?:${PAIRS}|${BARE})):(?!\\w{12}$)\\w{3,}$`);
/** A client id is the hardware type (01 is Ethernet) and the address (RFC 2132, section 9.14). */
const CLIENT_ID = new RegExp(`^(?:01[-:](?=${PAIRS}$)|1:(?=${SHORT}$))`, 'i');
const DOTTED_CLIENT_ID = /^01\w\w([-.])\w{4}\1\w{4}\1\w\w$/;
/** Seven octets are a client id only where the text says so. */
const CLIENT_ID_WORD = /(?:client.?id(?:entifier)?|option.?61)\W{0,8}$/i;

function readSegment(plain: string, at: number, run: string, start: number, end: number): Sighting[] {
  if (end - start < 11 || end - start > 40) return [];
  const [from, to] = [at + start, at + end];
  if (/(?<![g-z])::$/i.test(plain.slice(Math.max(0, from - 3), from)) || plain.startsWith('::', to))
    return []; // IPv6.
  const written = run.slice(start, end).replace(/ +/g, ' ');
  const [label = ''] = start === 0 ? (LABELLED.exec(written) ?? []) : [];
  const named = written.slice(label.length).replace(PRIORITY, '').replace(NETWORK, '');
  const isClientId = CLIENT_ID.test(named) && CLIENT_ID_WORD.test(plain.slice(Math.max(0, from - 40), from));
  const body = isClientId ? named.replace(CLIENT_ID, '') : named;
  const isAddress =
    label === '' ? ADDRESS.test(body) || DOTTED_CLIENT_ID.test(body) : LABELLED_ADDRESS.test(body);
  if (!isAddress) return [];
  const octets = body.split(/\W/).map((part) => part.padStart(2, '0'));
  const address = toMacAddress(octets.join('').slice(-12));
  return [{ address, start: from, end: to, isDoubtful: isDoubtful(label, body) }];
}

/**
 * Colons and Cisco's dots are clear; other decimal digits can be a telephone number, a ticket, a date or ports. Spaced groups
 * without a digit can be English words: `dead beef cafe`. Pointers begin with 0x7f or 0x55, no device's address does.
 */
function isDoubtful(label: string, body: string): boolean {
  if (label !== '') return /^0x$/i.test(label) && /^.[13579bdf]/i.test(body);
  return /^(?:.(?::.)+|(?!....\.)[\d .-]+|[a-f]{4}(?: [a-f]{4}){2})$/i.test(body);
}

const CUT_SHORT = /(?<![0-9a-f:])((?:[0-9a-f]{2}:){5})([0-9a-f])(?![0-9a-f:])/gi;

/** Completes addresses that lack the zero before their last digit, as macOS and net-snmp write them: nobody types these. */
export function completed(text: string): string {
  return text.replace(CUT_SHORT, (_, pairs: string, digit: string) => `${pairs}0${digit}`);
}
