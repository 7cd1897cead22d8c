import { isIPv4, isIPv6 } from 'node:net';
import * as mac from './mac-address.ts';
import { type Reach, sortSightings } from './sightings.ts';

/** Dotted IPv4 (an IPv4-mapped address, too), or IPv6 as RFC 5952 writes it: lower case, shortened, without a zone. */
export type IpAddress = string & { readonly __brand: 'IpAddress' };
/** The device in a user's latest session. Without a domain; no dots alone, which a path would take for a folder. */
export type UserQuery = `user ${string}`;
/** A MAC address, an IP address or a user. Their forms differ, so a stored text shows which one it is. */
export type DeviceAddress = mac.MacAddress | IpAddress | UserQuery;
/** A device as it was asked for. `address`: its own MAC address if it is known, else equal to `asked`. */
export type AskedDevice = { asked: DeviceAddress; address: DeviceAddress };

type FoundAddresses = {
  /** To be looked up, each once: MAC addresses in order, then IP addresses. */
  addresses: readonly DeviceAddress[];
  /** To be offered: digits that may be any number, likely corrections, and IP addresses that nobody asked for. */
  suspects: readonly DeviceAddress[];
  /** Neither: infrastructure next to a device, and virtual gateways. */
  leftOut: readonly DeviceAddress[];
  /** Too few pairs for an address, or too many. */
  faults: readonly string[];
};

const NO_ADDRESSES: FoundAddresses = { addresses: [], suspects: [], leftOut: [], faults: [] };

/** Most questions are this and nothing else. */
const ONE_MAC = /^\s*[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}\s*$/i;

/**
 * Sorts the addresses of a text by {@link sortSightings}. Takes linear time. IP addresses count behind a command or alone;
 * next to MAC addresses only in a list, because pasted log lines name switches and servers too.
 */
export function readAddresses(text: string, reach: Reach): FoundAddresses {
  const only = ONE_MAC.test(text) && (text.trim().toUpperCase().replaceAll('-', ':') as mac.MacAddress);
  if (only && reach !== 'overheard' && !mac.isGateway(only)) return { ...NO_ADDRESSES, addresses: [only] };
  const plain = mac.plainText(text);
  const { found, rest: withoutIps } = findIpAddresses(plain);
  const { sightings, rest } = mac.findSightings(withoutIps);
  const ips = [...new Set(found)];
  const isList = sightings.length + ips.length > 0 && !hasWords(rest);
  const isAsked = reach === 'asked' || isList;
  const sorted = sortSightings(plain, sightings, reach === 'addressed' && isList ? 'asked' : reach);
  const { device, suspect, infrastructure, gateway = [], group, other } = sorted;
  if (reach === 'overheard') return { ...NO_ADDRESSES, addresses: mac.uniqueAddresses(device) };
  // If nothing but infrastructure or groups is there, somebody asks for them.
  const macs = mac.uniqueAddresses(suspect ? device : (device ?? infrastructure ?? group));
  const others = mac.uniqueAddresses([...(infrastructure ?? []), ...gateway]);
  const leftOut = others.filter((address) => !macs.includes(address));
  const hasMacs = macs.length + leftOut.length > 0;
  const countsIps = isAsked && (isList || !hasMacs);
  const addresses: DeviceAddress[] = [...macs, ...(countsIps ? ips : [])];
  const suspects = [
    ...mac.uniqueAddresses(suspect),
    ...(isAsked && !hasMacs ? mac.uniqueAddresses(other) : []),
    ...(countsIps || hasMacs ? [] : ips),
    ...guessMacAddresses(rest, isAsked || /^\s*\S+\s*$/.test(plain)),
  ].filter((address) => !addresses.includes(address));
  return { addresses, suspects: [...new Set(suspects)], leftOut, faults: findFaults(rest) };
}

const hasWords = (rest: string) => /[\p{L}\p{N}]/u.test(rest.replace(/\b(?:and|or|please|pls)\b/gi, ''));

export const isMacAddress = (address: DeviceAddress): address is mac.MacAddress =>
  /^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(address);

export const isUserQuery = (address: DeviceAddress): address is UserQuery => address.startsWith('user ');

/** Reads an address that was stored; empty if there is none. */
export function readDeviceAddress(stored: string): DeviceAddress[] {
  const address = stored as DeviceAddress;
  const read = isUserQuery(address) || isMacAddress(address) ? address : readIpWord(stored);
  return read === undefined ? [] : [read];
}

/** Unspecified, loopback, multicast or broadcast (RFC 6890). */
const NO_HOST = /^(?:::1?$|ff[\da-f]{2}:|(?:127|22[4-9]|23\d)\.|0\.0\.0\.0$|255\.255\.255\.255$)/;
/** Whether an address stands for one device, which alone can have a session. */
export const isOneDevice = (address: DeviceAddress) =>
  isMacAddress(address) ? !mac.isGroup(address) : !NO_HOST.test(address);

/** Hexadecimal digits, each before the Latin, Greek and Cyrillic letters that look like it. */
const LOOK_ALIKES = ['0OoОоΟο', '1lIi|ІіӀΙι', '3Зз', '6б', 'AАаΑα', 'BВвΒ', 'CСс', 'EЕеΕ'];
const asDigit = (letter: string) => LOOK_ALIKES.find((all) => all.includes(letter))?.[0] ?? letter;
const asDigits = (text: string) => text.replace(/[OolIi|\u0370-\u04ff]/g, asDigit);

/** Hexadecimal digits in any groups, with any separators and a space next to them. */
const GROUPS = /(?<![\p{L}\p{N}:._-])[\da-f]+(?:(?: ?[:._-] ?|[;,/])[\da-f]+)*(?![\p{L}\p{N}]|::)/giu;
/** Returns likely corrections, to be offered: letters for digits, mixed separators, spaces next to them, lost zeros. */
function guessMacAddresses(rest: string, isAsked: boolean): mac.MacAddress[] {
  return [...asDigits(rest).matchAll(GROUPS)].flatMap(({ 0: written, index }) => {
    const typed = rest.slice(index, index + written.length);
    if (written.length > 40 || !/[\d:._-]/.test(typed)) return []; // It is words.
    const groups = written.split(/[^\da-f]+/i);
    const shortest = /[;,/]/.test(written) ? 2 : 1;
    const isPairs = groups.length === 6 && groups.every(({ length }) => length >= shortest && length < 3);
    const hasLostZeros = isAsked && /^[1-9a-f][\da-f]{8,}$/i.test(written);
    const size = isPairs ? 2 : hasLostZeros ? 12 : 0;
    const digits = groups.map((each) => each.padStart(size, '0')).join('');
    const isHex = /[a-f]/i.test(digits);
    const isAlone = hasLostZeros && rest.trim() === written;
    const isClear = isHex || isAlone || /[:_-]/.test(written) || typed !== written;
    const isGuess = digits.length === 12 && isClear && (isPairs || isAsked || isHex);
    return isGuess ? [mac.toMacAddress(digits)] : [];
  });
}

/** Returns the address with other last pairs (`08`, `:08`), or another last number (`108`, `.108`); none: they do not fit. */
export function completeTail(address: DeviceAddress, tail: string): DeviceAddress[] {
  const pairs = tail.toUpperCase().replace(/^(\w\w)-?(\w\w)$/, '$1:$2');
  const [end = ''] = /[^:.].*/.exec(pairs.padStart(2, '0')) ?? [];
  if (isMacAddress(address)) return readDeviceAddress(address.slice(0, -end.length) + end);
  return isIPv4(address) ? readDeviceAddress(address.replace(/\d+$/, `${Number(end)}`)) : [];
}

const SPACED = /(?<!\S)[\da-f]{2}(?: [\da-f]{2}){2,9}(?!\S)/gi;
const PAIRS =
  /(?<![\p{L}\p{N}:-])[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2}){1,5}(?![\p{L}\p{N}]|[:-][\p{L}\p{N}])/giu;

/** Finds three to seven pairs, but not six, in a text without its addresses. Three of decimal digits are a time. */
function findFaults(rest: string): string[] {
  const joined = rest.replace(SPACED, (run) => run.replaceAll(' ', ':'));
  const all = [...joined.matchAll(PAIRS)].map(([word]) => word);
  return all.filter((word) => word.length !== 17 && (word.length > 8 || /[a-f]/i.test(word)));
}

/** A word, and its network's length or mask; of a web address the host alone. */
const WORD =
  /(?<![\p{L}\p{N}_.:%*[\]-]|(?<!\d|:\/)\/)[\p{L}\p{N}_.:%*[\]-]+(?:\/(?:\d{1,3}|(?:255|0)[.\d]*)(?![\w/]))?/gu;

function findIpAddresses(plain: string): { found: IpAddress[]; rest: string } {
  const found: IpAddress[] = [];
  const rest = plain.replace(WORD, (word) => {
    const address = /\.\d|[\da-f]:|::/i.test(word) ? readIpWord(withoutLabel(word)) : undefined;
    if (address) found.push(address);
    return address ? ' '.repeat(word.length) : word;
  });
  return { found, rest };
}

function withoutLabel(whole: string): string {
  if (whole.length > 100) return ''; // An address has at most 39, brackets, a zone and a port.
  const [label = ''] = /^[\p{L}\p{N}_-]*:(?!:)/u.exec(whole) ?? [];
  const bare = /[^\da-f:]/i.test(label) ? whole.slice(label.length) : whole;
  return bare.replace(/^[._*-]+|^:(?!:)/, '').replace(/[._-]+$|(?<!:):$|(?<!\.)\*+$/, '');
}

/**
 * Reads a word of ASCII as an IP address. A port, brackets and a zone are cut off. Undefined for networks, masks and ranges, too;
 * pairs of digits are meant as a MAC address.
 * @example readIpWord('[2001:DB8::1]:443') // '2001:db8::1'
 */
export function readIpWord(word: string): IpAddress | undefined {
  const [plain = '', prefix = '128'] = word.split('/', 2);
  const [, bracketed = plain] = /^\[?([^[\]]*)(?:\](?::\d{1,5})?)?$/.exec(plain) ?? [];
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
