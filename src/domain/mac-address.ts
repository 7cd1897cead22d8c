import { readSightings } from './sightings.ts';
import { normalise } from './text.ts';

/** A MAC-48 address in the one form that this project keeps: upper case, colons (`AA:BB:CC:DD:EE:FF`). */
export type MacAddress = string & { readonly __brand: 'MacAddress' };
/** How an address is written in a path: `AA:BB:CC:DD:EE:FF` or `AA-BB-CC-DD-EE-FF`. */
export type MacForm = 'colon' | 'hyphen';
/** What an address can stand for; only a `device` has a session (IEEE 802-2014, clause 8.2). */
export type MacKind = 'device' | 'zero' | 'broadcast' | 'multicast';

/**
 * Returns every MAC address in a text once, in order of first appearance. Takes time linear in the text's length.
 *
 * Known spellings, in any case: six pairs (`:` `-` `.` or spaces between; with colons also without leading zeros), three
 * groups of four (Cisco's dots, Huawei's hyphens, colons, spaces), two groups of six (HP's hyphen, a colon, a dot), twelve
 * digits bare. A label (`0x`, `SEP`, `AP`, `BRN`), a bridge's priority, a DHCP client id's type and a network's name beside
 * an address are left out. Unicode's dashes, colons, spaces and full-width characters, and `%3A`, count as their ASCII
 * equivalents; invisible characters are ignored. UUIDs, IPv6 addresses, EUI-64 and longer runs of hexadecimal groups hold
 * no MAC address.
 *
 * Decimal digits alone are doubtful, unless colons or Cisco's dots part them. The `strict` reading takes doubtful digits for no
 * address; the `wide` one, for a text behind a command, takes them if no clear address stands beside them.
 *
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
  for (const { digits, written, isDoubtful } of readSightings(text)) {
    const address = digits.replace(/..(?!$)/g, '$&:') as MacAddress;
    if (!isDoubtful) clear.add(address);
    else if (!doubtful.has(address)) doubtful.set(address, { address, written });
  }
  for (const address of clear) doubtful.delete(address);
  return { clear: [...clear], doubtful: [...doubtful.values()] };
}

/** Reads O as 0, and l, I, i and | as 1: people confuse these characters when they type, or read a label. */
export function withoutLetters(text: string): string {
  return text.replace(/[oO]/g, '0').replace(/[lI|i]/g, '1');
}

/** Returns the MAC addresses of a text {@link withoutLetters}: guesses, which the bot offers and never looks up unasked. */
export function guessMacAddresses(text: string): MacAddress[] {
  const corrected = readMacAddresses(withoutLetters(text));
  const before = corrected.doubtful.length > 0 ? readMacAddresses(text).doubtful : [];
  const unchanged = new Set(before.map(({ address }) => address)); // They are no slips.
  const slips = corrected.doubtful.map(({ address }) => address).filter((address) => !unchanged.has(address));
  return [...corrected.clear, ...slips];
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

export type MacFault =
  | { kind: 'missing' }
  | { kind: 'bad character'; character: string }
  /** `pairs`: how many of the six are there. */
  | { kind: 'half'; pairs: number }
  | { kind: 'wrong length'; digits: number }
  | { kind: 'wrong groups' }
  | { kind: 'uuid' };

const MISSING: MacFault = { kind: 'missing' };

/** Says what is wrong with a text that holds no MAC address, judged by the first word that resembles one. */
export function faultOf(text: string): MacFault {
  const words = normalise(text).split(/\s+/).filter(Boolean);
  const isSpaced = words.length > 2 && words.every(({ length }) => length === 2);
  const faults = (isSpaced ? [words.join(':')] : words).map(faultOfWord);
  // Beside other words, a short number is a floor or a port.
  const isShort = (fault: MacFault) => fault.kind === 'wrong length' && fault.digits < 6;
  return faults.find((fault) => fault !== MISSING && (faults.length === 1 || !isShort(fault))) ?? MISSING;
}

function faultOfWord(word: string): MacFault {
  const text = word.replace(/^[^\p{L}\p{N}]+/u, '').replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, '');
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return { kind: 'uuid' };
  const bare = text.replace(/[^\p{L}\p{N}]/gu, '');
  const character = /[^0-9a-f]/iu.exec(bare)?.[0];
  if (character !== undefined) {
    // A host's name is no mistyped address.
    const isAlmost = bare.length === 12 && bare.replace(/[^0-9a-f]/gi, '').length >= 8;
    return isAlmost ? { kind: 'bad character', character } : MISSING;
  }
  if (!/\d/.test(bare) && bare.length < 6) return MISSING;
  if (bare.length === 12) return { kind: 'wrong groups' };
  return isHalf(text.split(/[:.-]/))
    ? { kind: 'half', pairs: bare.length / 2 }
    : { kind: 'wrong length', digits: bare.length };
}

/** Three to five pairs, or two groups of four that are no numbers. */
function isHalf(groups: readonly string[]): boolean {
  const [{ length } = ''] = groups;
  if (groups.some((group) => group.length !== length)) return false;
  if (length === 4) return groups.length === 2 && groups.some((group) => /\D/.test(group));
  return length === 2 && groups.length >= 3 && groups.length <= 5;
}
