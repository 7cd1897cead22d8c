import { type Gap, type Group, normalise, splitGroups } from './mac-address/groups.ts';

/**
 * A MAC-48 address in the one form that this project keeps: upper case, colons (`AA:BB:CC:DD:EE:FF`).
 * Made by {@link findMacAddresses} only.
 */
export type MacAddress = string & { readonly __brand: 'MacAddress' };

/** How an address is written in a path: `AA:BB:CC:DD:EE:FF` or `AA-BB-CC-DD-EE-FF`. */
export type MacForm = 'colon' | 'hyphen';

/** What an address can stand for; only a `device` has a session (IEEE 802-2014, clause 8.2). */
export type MacKind = 'device' | 'zero' | 'broadcast' | 'multicast';

/** Why a text is not the MAC address that it was meant to be. */
export type MacFault =
  | { kind: 'missing' }
  | { kind: 'bad character'; character: string }
  | { kind: 'wrong length'; digits: number }
  | { kind: 'wrong groups' };

/**
 * Returns every MAC address in a text once, in order of first appearance. Takes time linear in the text's length.
 *
 * Known spellings, in any case: six pairs (`:` `-` `.` or spaces between), three groups of four (Cisco's dots,
 * Huawei's hyphens, colons, spaces), two groups of six (HP's hyphen, a colon, a dot), twelve digits bare. Unicode's
 * dashes, colons, spaces and full-width characters count as their ASCII equivalents; invisible characters are ignored.
 * UUIDs, IPv6 addresses, EUI-64 and longer runs of hexadecimal groups hold no MAC address.
 *
 * @example findMacAddresses('printer (aabb.ccdd.eeff) is down.') // ['AA:BB:CC:DD:EE:FF']
 */
export function findMacAddresses(text: string): MacAddress[] {
  const groups = splitGroups(text);
  const found: MacAddress[] = [];
  for (let first = 1; first < groups.length; ) {
    const count = SHAPES.find((shape) => fits(groups, first, shape))?.count ?? 0;
    if (count > 0) found.push(fromGroups(groups.slice(first, first + count)));
    first += Math.max(count, 1);
  }
  return [...new Set(found)];
}

/**
 * Returns the MAC addresses that a text would hold if O were 0, and if l, I, i and | were 1. People confuse these
 * characters when they type, or read a label. The results are guesses: the bot offers them, and never looks them up unasked.
 */
export function guessMacAddresses(text: string): MacAddress[] {
  return findMacAddresses(text.replace(/[oO]/g, '0').replace(/[lI|i]/g, '1'));
}

/** Returns the address in the given form, upper case. */
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

/** Says what is wrong with a text in which {@link findMacAddresses} found nothing, judged by its likeliest word. */
export function faultOf(text: string): MacFault {
  const words = normalise(text).split(/\s+/).filter(Boolean);
  const pairs = words.length > 2 && words.every((word) => word.length === 2);
  const word = pairs
    ? words.join('')
    : words.find((each) => /\d|\p{L}[:.-]\p{L}/u.test(each) || /^[a-f]{6,}$/i.test(each));
  if (word === undefined) return { kind: 'missing' };
  const bare = word.replace(/[^\p{L}\p{N}]/gu, '');
  const character = /[^0-9a-f]/iu.exec(bare)?.[0];
  if (character !== undefined) return { kind: 'bad character', character };
  return bare.length === 12 ? { kind: 'wrong groups' } : { kind: 'wrong length', digits: bare.length };
}

/** `spacesNeedDigit`: English words look like groups of four (`dead beef cafe`). */
type Shape = { count: number; length: number; gaps: readonly Gap[]; spacesNeedDigit?: true };

const SHAPES: readonly Shape[] = [
  { count: 6, length: 2, gaps: [':', '-', '.', ' '] },
  { count: 3, length: 4, gaps: [':', '-', '.', ' '], spacesNeedDigit: true },
  { count: 2, length: 6, gaps: [':', '-', '.'] },
  { count: 1, length: 12, gaps: [] },
];

function fits(groups: readonly Group[], first: number, shape: Shape): boolean {
  const last = first + shape.count - 1;
  const gap = shape.count > 1 ? groups[first]?.gap : undefined;
  if (gap !== undefined && !shape.gaps.includes(gap)) return false;
  for (let index = first; index <= last; index++) {
    const group = groups[index];
    if (!group?.hex || group.text.length !== shape.length) return false;
    if (index < last && group.gap !== gap) return false;
  }
  if (
    shape.spacesNeedDigit &&
    gap === ' ' &&
    !groups.slice(first, last + 1).some(({ text }) => /\d/.test(text))
  ) {
    return false;
  }
  if (groups[first - 1]?.gap === ':: before' || groups[last]?.gap === ':: behind') return false; // IPv6.
  return !joined(groups, first - 1, gap) && !joined(groups, last, gap);
}

/** Whether the group at `index` and the next group belong to one run. A candidate that ends between them is then a part. */
function joined(groups: readonly Group[], index: number, inner: Gap | undefined): boolean {
  const left = groups[index];
  const right = groups[index + 1];
  if (!left?.hex) return false;
  if (left.gap === '::') return true;
  if (!right?.hex || left.gap.length > 1) return false;
  if (left.gap !== ' ') return inner === undefined || inner === left.gap;
  // A spaced address does not join a time or a number of another length before it ("10:22:33 AA BB ...").
  const before = groups[index - 1];
  const tied = before?.hex && before.gap !== ' ' && before.gap !== 'apart';
  return inner === ' ' && left.text.length === right.text.length && !tied;
}

function fromGroups(groups: readonly Group[]): MacAddress {
  let digits = '';
  for (const { text } of groups) digits += text.toUpperCase();
  return [0, 2, 4, 6, 8, 10].map((at) => digits.slice(at, at + 2)).join(':') as MacAddress;
}
