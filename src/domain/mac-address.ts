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
 * Decimal digits alone are doubtful, unless colons or Cisco's dots part them, and so are spaced groups of letters alone. The
 * `strict` reading takes what is doubtful for no address; the `wide` one, for a text behind a command, takes it if no clear
 * address stands beside it.
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

/** Returns what a text writes as MAC addresses are written, in order. Doubtful: it may be any number. */
function readSightings(text: string): Array<{ address: MacAddress; written: string; isDoubtful: boolean }> {
  const line = outline(text);
  const sightings = [];
  let end = 0;
  for (const { index } of line.matchAll(FIRST)) {
    const run = index < end ? undefined : runAt(line, index);
    if (run === undefined) continue;
    const { label, written } = run;
    const octets = written.split(/[-:. ]/).map((part) => part.padStart(2, '0'));
    const digits = octets.join('').slice(-12).toUpperCase();
    const address = digits.replace(/..(?!$)/g, '$&:') as MacAddress;
    sightings.push({ address, written, isDoubtful: isDoubtful(run) });
    end = index + label.length + written.length;
  }
  return sightings;
}

/**
 * Colons and Cisco's dots are clear; other decimal digits can be a telephone number, a ticket, a date or ports. Spaced groups
 * without a digit can be English words: `dead beef cafe`.
 */
function isDoubtful({ label, written }: Run): boolean {
  // Pointers begin with 0x7f or 0x55, no device's address does.
  if (label !== '') return label === '#' && /^.[13579bdf]/i.test(written);
  return /^(?:.(?::.)+|(?!....\.)[\d .-]+|[a-f]{4}(?: [a-f]{4}){2})$/i.test(written);
}

/**
 * A text in few characters. Hexadecimal words stay as they are, behind `=` or `#` (for `0x`) in place of a label; other words
 * stand between `!`. A gap between words becomes one character: one of `:-.` or a space stays, `::` becomes `;`, another that
 * begins with `::` becomes `<`, that ends with it `>`, that does both `~`, any other `|`. There is a gap at either end.
 */
function outline(text: string): string {
  const plain = normalise(text);
  // Web addresses write a colon as `%3A`, and as `%253A` inside one another.
  const decoded = plain.includes('%') ? plain.replace(/%(?:25)?3a(?=[0-9a-f])/gi, ':') : plain;
  const oneLine = decoded.replace(/\.\r?\n {2,}/g, '.'); // Cisco breaks a long client id into indented lines.
  const [gap = '', ...parts] = ` ${oneLine} `.replace(/ {2,}/g, ' ').split(/([\p{L}\p{N}]+)/u);
  return (
    outlineGap(gap) +
    parts.map((part, index) => (index % 2 === 0 ? outlineWord(part) : outlineGap(part))).join('')
  );
}

/**
 * Names that devices make of their address. Cisco: SEP, ATA and AP. Brother: BRN and BRW. Ricoh: RNP. Xerox: XRX.
 * Lexmark: ET. Samsung: SEC. Linux: enx and wlx (systemd.net-naming-scheme). `0x` marks hexadecimal digits.
 */
const LABELLED = /^(?:(0x)|sep|ata|ap|br[nw]|rnp|xrx|et|sec|enx|wlx)([0-9a-f]{4}|[0-9a-f]{12})$/i;

function outlineWord(word: string): string {
  if (/^[0-9a-f]+$/i.test(word)) return word;
  const [, pointer, digits] = LABELLED.exec(word) ?? [];
  return digits ? (pointer ? '#' : '=') + digits : `!${word.toLowerCase().replace(/\W/g, '')}!`;
}

function outlineGap(gap: string): string {
  if (/^[-:. ]$/.test(gap)) return gap;
  return gap === '::' ? ';' : '|<>~'.charAt(Number(gap.startsWith('::')) + 2 * Number(gap.endsWith('::')));
}

/**
 * How an outline writes an address. A client id is the hardware type (01 is Ethernet) and the address (RFC 2132, section
 * 9.14). macOS and net-snmp leave out the leading zeros of octets, all of them. Beside five whole octets, one digit has lost
 * another or its zero: nobody can tell which.
 */
const FORMS = [
  /(?<![=#])\w\w(?<gap>[-:. ])\w\w(?:\k<gap>\w\w){4}/,
  /(?<![=#])(?!(?:\w\w:){5}\w\b)[1-9a-f]?\w(?::[1-9a-f]?\w){5}/,
  /\w{4}(?<gap>[-.])\w{4}\k<gap>\w{4}/,
  /(?<![=#])\w{4}:\w{4}:\w{4}/,
  /(?<![=#])\w{4} \w{4} \w{4}/,
  /(?<![=#])\w{6}[-:.]\w{6}/,
  /\w{12}/,
];
const CLIENT_ID_FORMS = [
  /(?<![=#])01(?<gap>[-:])\w\w(?:\k<gap>\w\w){5}/,
  /(?<![=#])1(?::[1-9a-f]?\w){6}/,
  /01\w\w(?<gap>[-.])\w{4}\k<gap>\w{4}\k<gap>\w\w/,
];
const RUNS = [FORMS, CLIENT_ID_FORMS].map((forms) => {
  const sources = forms.map(({ source }) => source);
  return new RegExp(`^([=#]?)(?:${sources.join('|')})\\b`, 'i');
});

/** A word that could be the first of an address: most are none, and this search is quick. */
const FIRST = /(?<![\w=#!])[=#]?(?=(?:\w\w?|\w{4}|\w{6})[-:. ]\w|\w{12}\b)/g;

/** `size`: of the first group. `gap`: between all groups; undefined if there is one. */
type Run = { label: string; written: string; size: number; gap: string | undefined };

/** What is written like an address from this place on, if it is no part of an IPv6 address or of a longer run. */
function runAt(line: string, index: number): Run | undefined {
  const rest = line.slice(index);
  for (const form of RUNS) {
    const [whole, label = ''] = form.exec(rest) ?? [];
    if (whole === undefined) continue;
    const written = whole.slice(label.length);
    const [gap] = /\W/.exec(written) ?? [];
    const run = { label, written, size: written.search(/\W|$/), gap };
    const before = line.slice(Math.max(0, index - 200), index);
    if (isWholeBefore(before, run) && isWholeBehind(rest.slice(whole.length), run)) return run;
  }
  return undefined;
}

/** Seven octets are a client id only where the text says so. */
const CLIENT_ID = /client(?:!-!)?id(?:entifier)?\b|option(?:!-)?61\b/;
/** A bridge's priority in decimal digits before a dot (`32778.001b.5400.0007`), or as four hexadecimal digits. */
const PRIORITY = /^(?:0|4096|8192|[1-6]\d{4})$/;
const HEX_PRIORITY = /^(?:[0-9a-f]000|8[0-9a-f]{3})$/i;
/** The last word and the gap behind it, and what ties it to a word before, unlike a space, a line's end or punctuation. */
const LAST_WORD = /(?:(^|[\w!])([-:.;<>~]))?([=#]?)\b(\w+)([-:. ])$/;

function isWholeBefore(before: string, { label, written, size, gap }: Run): boolean {
  if (/^.?[>~]$|^\w;$/.test(before.slice(-2))) return false; // IPv6.
  const isClientId = /^(?:\w\w?[-:]){6}/.test(written);
  if (isClientId && !CLIENT_ID.test((before.match(/[\w!]+/g) ?? []).slice(-5).join('-'))) return false;
  const [, owner, tie, mark, word = '', last] = LAST_WORD.exec(before.slice(-20)) ?? [];
  if (word === '' || label !== '') return true;
  // A spaced address does not join a time or a number of another length before it ("10:22:33 AA BB ...").
  if (last === ' ') return gap !== ' ' || word.length !== size || (tie !== undefined && owner !== '!');
  if ((gap ?? last) !== last || (mark !== '' && word.length !== size)) return true;
  if (last !== '.' || tie !== undefined) return false;
  return (PRIORITY.test(word) && size !== 2 && size !== 6) || (HEX_PRIORITY.test(word) && size === 12);
}

/** A called station's network can have a hexadecimal name (`00:1b:54:00:00:07:cafe`; RFC 3580, section 3.20). */
function isWholeBehind(behind: string, { label, size, gap }: Run): boolean {
  if (/^[;<]/.test(behind)) return false; // IPv6.
  const [, first, word = '', next = ''] = /^([-:. ])(\w+)(.)/.exec(behind) ?? [];
  if (word === '') return true;
  if (first === ' ') return gap !== ' ' || word.length !== size;
  if ((gap ?? first) !== first || (size === 12 && label !== '' && word.length !== 12)) return true;
  const isName = word.length > 2 && word.length !== 12 && !/[:;<>~]/.test(next);
  return first === ':' && isName && (size <= 2 || size === 12);
}

const CUT_SHORT = /(?<![0-9a-f:])((?:[0-9a-f]{2}:){5})([0-9a-f])(?![0-9a-f:])/gi;

/** Completes addresses that lack the zero before their last digit, as macOS and net-snmp write them: nobody types these. */
export function completed(text: string): string {
  return text.replace(CUT_SHORT, (_, pairs: string, digit: string) => `${pairs}0${digit}`);
}
