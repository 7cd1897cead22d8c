import { normalise } from './text.ts';

/** Twelve hexadecimal digits that a text writes as MAC addresses are written. */
export type Sighting = {
  digits: string;
  /** As the text writes them, without a label before them. */
  written: string;
  /** Whether they may be a telephone number, a ticket, a date, a list of ports or a pointer as well. */
  isDoubtful: boolean;
};

/** Returns what a text may mean as MAC addresses, in order. Takes time linear in the text's length. */
export function readSightings(text: string): Sighting[] {
  const groups = splitGroups(text);
  const sightings: Sighting[] = [];
  for (let first = 1; first < groups.length; ) {
    const count = countAt(groups, first);
    if (count > 0) sightings.push(sightingOf(groups.slice(first, first + count)));
    first += Math.max(count, 1);
  }
  return sightings;
}

/** How the digits are grouped: the length of each group, and what may stand between all of them. */
type Form = { lengths: readonly number[]; gaps: readonly Gap[]; isClientId?: true };

/** A client id is the hardware type (01 is Ethernet) and the address (RFC 2132, section 9.14). */
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
  if (!isWhole) return false;
  const has = (pattern: RegExp) => inside.some(({ text }) => pattern.test(text));
  if (size === 4 && gap === ' ' && !has(/\d/)) return false; // English words: `dead beef cafe`.
  // Who leaves out leading zeros leaves out all of them; else a digit is missing.
  if (size === 2 && gap === ':' && has(/^.$/) && has(/^0./)) return false;
  if (groups[first - 1]?.gap === ':: before' || groups[last]?.gap === ':: behind') return false; // IPv6.
  return (
    (!isJoined(groups, first - 1, gap) || isBridgeId(groups, first, gap)) &&
    (!isJoined(groups, last, gap) || isNetworkBehind(groups, last, gap))
  );
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
function isJoined(groups: readonly Group[], index: number, inner: Gap | undefined): boolean {
  const left = groups[index];
  const right = groups[index + 1];
  if (!left?.hex) return false;
  if (left.gap === '::') return true;
  if (!right?.hex || right.label !== '' || left.gap.length > 1) return false;
  if (left.label !== '' && left.text.length !== right.text.length) return false;
  if (left.gap !== ' ') return inner === undefined || inner === left.gap;
  // A spaced address does not join a time or a number of another length before it ("10:22:33 AA BB ...").
  const before = groups[index - 1];
  const tied = before?.hex && before.gap !== ' ' && before.gap !== 'apart';
  return inner === ' ' && left.text.length === right.text.length && !tied;
}

/** A bridge's priority in decimal digits before a dot (`32778.001b.5400.0007`), or as four hexadecimal digits. */
const PRIORITY = /^(?:0|4096|8192|[1-6]\d{4})$/;
const HEX_PRIORITY = /^(?:[0-9a-f]000|8[0-9a-f]{3})$/i;

function isBridgeId(groups: readonly Group[], first: number, inner: Gap | undefined): boolean {
  const [before, priority, { text: start } = START] = groups.slice(first - 2, first + 1);
  if (priority?.gap !== '.' || (before?.gap !== ' ' && before?.gap !== 'apart')) return false;
  return inner === undefined
    ? PRIORITY.test(priority.text) || HEX_PRIORITY.test(priority.text)
    : start.length === 4 && PRIORITY.test(priority.text);
}

/** A called station's network can have a hexadecimal name (`00:1b:54:00:00:07:cafe`; RFC 3580, section 3.20). */
function isNetworkBehind(groups: readonly Group[], last: number, inner: Gap | undefined): boolean {
  const [end, name] = groups.slice(last, last + 2);
  if (end?.gap !== ':' || !name || name.gap === ':' || name.gap.startsWith('::')) return false;
  const isOther = name.text.length > 2 && name.text.length !== 12;
  return isOther && (inner === undefined || end.text.length <= 2);
}

function sightingOf(groups: readonly Group[]): Sighting {
  const digits = groups.map(({ text }) => (text.length === 1 ? `0${text}` : text)).join('');
  const written = groups.map(({ text, gap }, index) => (index + 1 < groups.length ? text + gap : text));
  return {
    digits: digits.slice(-12).toUpperCase(),
    written: written.join(''),
    isDoubtful: isDoubtful(groups),
  };
}

/** Colons and Cisco's dots are clear; other decimal digits can be any number. */
function isDoubtful(groups: readonly Group[]): boolean {
  const [{ label, gap, text } = START] = groups;
  if (label === '0X') return /^.[13579bdf]/i.test(text); // Pointers begin with 0x7f or 0x55, no device's address does.
  if (label !== '') return false;
  if (groups.every((each) => each.text.length === 1)) return true;
  const isClear = groups.length > 1 && (gap === ':' || (gap === '.' && text.length === 4));
  return !isClear && groups.every((each) => /^\d+$/.test(each.text));
}

/** A run of letters and digits, and the gap behind it. */
type Group = {
  text: string;
  hex: boolean;
  gap: Gap;
  /** What is glued to the digits and says what they are, upper case: `0X`, `SEP`. Usually empty. */
  label: string;
};

/** What stands between two groups. `before` and `behind` are neighbours of `::`, as in IPv6. */
type Gap = ':' | '-' | '.' | ' ' | '::' | ':: before' | ':: behind' | 'apart';

const START: Group = { text: '', hex: true, gap: 'apart', label: '' };

/** The groups of a text. The first is empty and stands for the text's beginning. At either end, only `::` matters. */
function splitGroups(text: string): Group[] {
  const plain = normalise(text);
  // Web addresses write a colon as `%3A`, and as `%253A` inside one another.
  const decoded = plain.includes('%') ? plain.replace(/%(?:25)?3a(?=[0-9a-f])/gi, ':') : plain;
  const [before = '', ...parts] = decoded.split(/([\p{L}\p{N}]+)/u);
  const groups: Group[] = [{ ...START, gap: before.endsWith('::') ? ':: before' : 'apart' }];
  for (let index = 0; index < parts.length; index += 2) {
    const [word = '', behind = ''] = [parts[index], parts[index + 1]];
    const isLast = index + 2 === parts.length;
    groups.push(groupOf(word, isLast ? (behind.startsWith('::') ? ':: behind' : 'apart') : gapOf(behind)));
  }
  return groups;
}

/**
 * Names that devices make of their address. Cisco: SEP, ATA and AP. Brother: BRN and BRW. Ricoh: RNP. Xerox: XRX.
 * Lexmark: ET. Samsung: SEC. Linux: enx and wlx (systemd.net-naming-scheme). `0x` marks hexadecimal digits.
 */
const LABELLED = /^(0x|sep|ata|ap|br[nw]|rnp|xrx|et|sec|enx|wlx)([0-9a-f]{4}|[0-9a-f]{12})$/i;

function groupOf(word: string, gap: Gap): Group {
  if (/^[0-9a-f]+$/i.test(word)) return { text: word, hex: true, gap, label: '' };
  const [, label = '', digits = word] = LABELLED.exec(word) ?? [];
  return { text: digits, hex: label !== '', gap, label: label.toUpperCase() };
}

function gapOf(between: string): Gap {
  if (between === ':' || between === '-' || between === '.' || between === ' ' || between === '::')
    return between;
  if (between.endsWith('::')) return ':: before';
  if (between.startsWith('::')) return ':: behind';
  if (/^\.\r?\n {2,}$/.test(between)) return '.'; // Cisco breaks a long client id into indented lines.
  return /^ +$/.test(between) ? ' ' : 'apart';
}
