import { normalise } from './text.ts';

/** A MAC-48 address in the one form that this project keeps: upper case, colons (`AA:BB:CC:DD:EE:FF`). */
export type MacAddress = string & { readonly __brand: 'MacAddress' };
/** How an address is written in a path: `AA:BB:CC:DD:EE:FF` or `AA-BB-CC-DD-EE-FF`. */
export type MacForm = 'colon' | 'hyphen';
/** What an address can stand for; only a `device` has a session (IEEE 802-2014, clause 8.2). */
export type MacKind = 'device' | 'zero' | 'broadcast' | 'multicast';

/**
 * Returns every MAC address in a text once, in order of first appearance. Takes time linear in the text's length.
 * Known spellings, in any case: six pairs (`:` `-` `.` or spaces between; with colons also without leading zeros), three
 * groups of four (Cisco's dots, Huawei's hyphens, colons, spaces), two groups of six (HP's hyphen, a colon, a dot), twelve
 * digits bare. A label (`0x`, `SEP`, `AP`, `BRN`), a bridge's priority, a DHCP client id's type and a network's name beside
 * an address are left out. Unicode's dashes, colons, spaces and full-width characters, and `%3A`, count as their ASCII
 * equivalents; invisible characters are ignored. UUIDs, IPv6 addresses, EUI-64 and longer runs of hexadecimal groups hold
 * no MAC address.
 * Decimal digits alone are doubtful, unless colons or Cisco's dots part them. The `strict` reading takes doubtful digits for no
 * address; the `wide` one, for a text behind a command, takes them if no clear address stands beside them.
 * @example findMacAddresses('printer (aabb.ccdd.eeff) is down.') // ['AA:BB:CC:DD:EE:FF']
 * @example findMacAddresses('ticket 202611221027') // []
 */
export function findMacAddresses(text: string, reading: 'strict' | 'wide' = 'strict'): MacAddress[] {
  const { clear, doubtful } = readMacAddresses(text);
  return reading === 'wide' && clear.length === 0 ? doubtful.map(({ address }) => address) : clear;
}

/** Returns what is a MAC address, and what may be any number, as the text writes it. Each address stands once. */
export function readMacAddresses(text: string) {
  const clear = new Set<MacAddress>();
  const doubtful = new Map<MacAddress, { address: MacAddress; written: string }>();
  for (const { address, written, isDoubtful } of readSightings(text)) {
    if (!isDoubtful) clear.add(address);
    else if (!doubtful.has(address)) doubtful.set(address, { address, written });
  }
  for (const address of clear) doubtful.delete(address);
  return { clear: [...clear], doubtful: [...doubtful.values()] };
}

/** Whether a normalised text is one MAC address in any spelling, clear or doubtful, and nothing else but a label. */
export function isOneMacAddress(text: string): boolean {
  if (text.length > 26) return false; // The longest is a client id in pairs, or pairs behind a label.
  const [only, ...others] = readSightings(text);
  return only !== undefined && others.length === 0 && /^(?:0x|[a-z]*)$/i.test(text.replace(only.written, ''));
}

export function formatMacAddress(address: MacAddress, form: MacForm): string {
  return form === 'colon' ? address : address.replaceAll(':', '-');
}

/** What the address stands for; the lowest bit of the first octet marks a group (IEEE 802-2014, clause 8.2.2). */
export function kindOf(address: MacAddress): MacKind {
  if (address === '00:00:00:00:00:00') return 'zero';
  if (address === 'FF:FF:FF:FF:FF:FF') return 'broadcast';
  return Number.parseInt(address.slice(0, 2), 16) & 1 ? 'multicast' : 'device';
}

/** Whether the device made the address up itself, as phones and laptops do on Wi-Fi (IEEE 802c, the U/L bit). */
export function isLocallyAdministered(address: MacAddress): boolean {
  return (Number.parseInt(address.slice(0, 2), 16) & 2) !== 0;
}

/** Returns the groups of each run of a text that is written as MAC addresses are, in order. */
function readSightings(text: string): Array<ReturnType<typeof sightingOf>> {
  const groups = splitGroups(text);
  const sightings = [];
  for (let first = 1; first < groups.length; ) {
    const count = countAt(groups, first);
    if (count > 0) sightings.push(sightingOf(groups.slice(first, first + count)));
    first += Math.max(count, 1);
  }
  return sightings;
}

type Form = { lengths: readonly number[]; gaps: readonly string[]; isClientId?: true };

/**
 * The length of each group, and what may stand between all of them. A client id is the hardware type (01 is Ethernet) and
 * the address (RFC 2132, section 9.14).
 */
const FORMS: readonly Form[] = [
  { lengths: [2, 2, 2, 2, 2, 2], gaps: [':', '-', '.', ' '] },
  { lengths: [2, 2, 2, 2, 2, 2, 2], gaps: [':', '-'], isClientId: true },
  { lengths: [4, 4, 4], gaps: [':', '-', '.', ' '] },
  { lengths: [4, 4, 4, 2], gaps: ['.', '-'], isClientId: true },
  { lengths: [6, 6], gaps: [':', '-', '.'] },
  { lengths: [12], gaps: [] },
];
const BY_FIRST_LENGTH = Map.groupBy(FORMS, ({ lengths }) => lengths[0]);

/** How many groups from this one on are an address; 0 if none begins here. */
function countAt(groups: readonly Group[], first: number): number {
  const group = groups[first];
  if (!group?.hex) return 0;
  // A leading zero can be left out of a pair.
  const forms = BY_FIRST_LENGTH.get(Math.max(2, group.text.length)) ?? [];
  return forms.find((form) => isWritten(groups, first, form))?.lengths.length ?? 0;
}

function isWritten(groups: readonly Group[], first: number, { lengths, gaps, isClientId }: Form): boolean {
  const [size] = lengths;
  const gap = lengths.length > 1 ? groups[first]?.gap : undefined;
  if (gap !== undefined && !gaps.includes(gap)) return false;
  if (isClientId && !isClientIdAt(groups, first)) return false;
  const last = first + lengths.length - 1;
  const inside = groups.slice(first, last + 1);
  const isWhole = lengths.every((length, index) => {
    const { text = '', hex, label, gap: behind } = inside[index] ?? {};
    // macOS and net-snmp leave out an octet's leading zero, and write colons.
    const isLong = text.length === length || (length === 2 && gap === ':' && text.length === 1);
    const isPlain = label === '' || (index === 0 && gap !== ':' && gap !== ' ');
    return hex && isLong && isPlain && (index === lengths.length - 1 || behind === gap);
  });
  if (!isWhole || (gap === ':' && isCutShort(inside))) return false;
  const has = (pattern: RegExp) => inside.some(({ text }) => pattern.test(text));
  if (size === 4 && gap === ' ' && !has(/\d/)) return false; // English words: `dead beef cafe`.
  // Who leaves out leading zeros leaves out all of them; else a digit is missing.
  if (size === 2 && gap === ':' && has(/^.$/) && has(/^0./)) return false;
  if (/.::$/s.test(groups[first - 1]?.gap ?? '') || /^::.*(?<!::)$/s.test(groups[last]?.gap ?? ''))
    return false; // IPv6.
  return (
    (!isJoined(groups, first - 1, gap) || isBridgeId(groups, first, gap)) &&
    (!isJoined(groups, last, gap) || isNetworkBehind(groups, last, gap))
  );
}

/** Five whole pairs and one digit: a digit was lost, or its zero left out. Nobody can tell which. */
function isCutShort(groups: readonly Group[]): boolean {
  const pairs = groups.filter(({ text }) => text.length === 2);
  return groups.at(-1)?.text.length === 1 && pairs.length === groups.length - 1;
}

const CUT_SHORT = /(?<![0-9a-f:])((?:[0-9a-f]{2}:){5})([0-9a-f])(?![0-9a-f:])/gi;

/** Completes addresses that lack the zero before their last digit, as macOS and net-snmp write them: nobody types these. */
export function completed(text: string): string {
  return text.replace(CUT_SHORT, (_, pairs: string, digit: string) => `${pairs}0${digit}`);
}

/** Seven octets are a client id only where the text says so; in Cisco's groups, their form tells. */
function isClientIdAt(groups: readonly Group[], first: number): boolean {
  const type = groups[first]?.text ?? '';
  if (type.length === 4) return type.startsWith('01');
  if (!/^0?1$/.test(type)) return false;
  const before = groups.slice(Math.max(0, first - 5), first).map(({ text }) => text);
  return /client-?id(?:entifier)?\b|option-?61\b/i.test(before.join('-'));
}

/** Whether the group at `index` and the next group belong to one run. A candidate that ends between them is then a part. */
function isJoined(groups: readonly Group[], index: number, inner: string | undefined): boolean {
  const left = groups[index];
  const right = groups[index + 1];
  if (!left?.hex) return false;
  if (left.gap === '::') return true;
  if (!right?.hex || right.label !== '' || !/^[:. -]$/.test(left.gap)) return false;
  if (left.label !== '' && left.text.length !== right.text.length) return false;
  if (left.gap !== ' ') return inner === undefined || inner === left.gap;
  // A spaced address does not join a time or a number of another length before it ("10:22:33 AA BB ...").
  const before = groups[index - 1];
  const isTied = before?.hex && TIE.test(before.gap);
  return inner === ' ' && left.text.length === right.text.length && !isTied;
}

/** What ties a group to the next one, unlike a space, a line's end or punctuation. */
const TIE = /^[:.-]$|^::|::$/;

/** A bridge's priority in decimal digits before a dot (`32778.001b.5400.0007`), or as four hexadecimal digits. */
const PRIORITY = /^(?:0|4096|8192|[1-6]\d{4})$/;
const HEX_PRIORITY = /^(?:[0-9a-f]000|8[0-9a-f]{3})$/i;

function isBridgeId(groups: readonly Group[], first: number, inner: string | undefined): boolean {
  const [before, priority, { text: start } = START] = groups.slice(first - 2, first + 1);
  if (priority?.gap !== '.' || before === undefined || TIE.test(before.gap)) return false;
  return inner === undefined
    ? PRIORITY.test(priority.text) || HEX_PRIORITY.test(priority.text)
    : start.length === 4 && PRIORITY.test(priority.text);
}

/** A called station's network can have a hexadecimal name (`00:1b:54:00:00:07:cafe`; RFC 3580, section 3.20). */
function isNetworkBehind(groups: readonly Group[], last: number, inner: string | undefined): boolean {
  const [end, name] = groups.slice(last, last + 2);
  if (end?.gap !== ':' || !name || /^:$|^::|::$/.test(name.gap)) return false;
  const isOther = name.text.length > 2 && name.text.length !== 12;
  return isOther && (inner === undefined || end.text.length <= 2);
}

/** The address, and how the text writes it without a label before it. */
function sightingOf(groups: readonly Group[]) {
  const digits = groups.map(({ text }) => (text.length === 1 ? `0${text}` : text)).join('');
  const address = digits
    .slice(-12)
    .toUpperCase()
    .replace(/..(?!$)/g, '$&:') as MacAddress;
  const written = groups.map(({ text, gap }, index) => (index + 1 < groups.length ? text + gap : text));
  return { address, written: written.join(''), isDoubtful: isDoubtful(groups) };
}

/** Colons and Cisco's dots are clear; other decimal digits can be a telephone number, a ticket, a date or ports. */
function isDoubtful(groups: readonly Group[]): boolean {
  const [{ label, gap, text } = START] = groups;
  if (label === '0X') return /^.[13579bdf]/i.test(text); // Pointers begin with 0x7f or 0x55, no device's address does.
  if (label !== '') return false;
  if (groups.every((each) => each.text.length === 1)) return true;
  const isClear = groups.length > 1 && (gap === ':' || (gap === '.' && text.length === 4));
  return !isClear && groups.every((each) => /^\d+$/.test(each.text));
}

/** A run of letters and digits, and the gap behind it. `label`: what is glued before the digits, upper case (`0X`, `SEP`). */
type Group = { text: string; hex: boolean; gap: string; label: string };

const START: Group = { text: '', hex: true, gap: ' ', label: '' };

/** The groups of a text. The first is empty and stands for the text's beginning. At either end, only `::` matters. */
function splitGroups(text: string): Group[] {
  const plain = normalise(text);
  // Web addresses write a colon as `%3A`, and as `%253A` inside one another.
  const decoded = plain.includes('%') ? plain.replace(/%(?:25)?3a(?=[0-9a-f])/gi, ':') : plain;
  const oneLine = decoded.replace(/\.\r?\n {2,}/g, '.'); // Cisco breaks a long client id into indented lines.
  const [gap = '', ...parts] = ` ${oneLine} `.replace(/ {2,}/g, ' ').split(/([\p{L}\p{N}]+)/u);
  const groups: Group[] = [{ ...START, gap }];
  for (let index = 0; index < parts.length; index += 2)
    groups.push(groupOf(parts[index] ?? '', parts[index + 1] ?? ''));
  return groups;
}

/**
 * Names that devices make of their address. Cisco: SEP, ATA and AP. Brother: BRN and BRW. Ricoh: RNP. Xerox: XRX.
 * Lexmark: ET. Samsung: SEC. Linux: enx and wlx (systemd.net-naming-scheme). `0x` marks hexadecimal digits.
 */
const LABELLED = /^(0x|sep|ata|ap|br[nw]|rnp|xrx|et|sec|enx|wlx)([0-9a-f]{4}|[0-9a-f]{12})$/i;

function groupOf(word: string, gap: string): Group {
  if (/^[0-9a-f]+$/i.test(word)) return { text: word, hex: true, gap, label: '' };
  const [, label = '', digits = word] = LABELLED.exec(word) ?? [];
  return { text: digits, hex: label !== '', gap, label: label.toUpperCase() };
}
