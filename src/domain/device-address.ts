import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type IpAddress, type IpFault, type IpKind, ipKindOf, RANGE, readIpWord } from './ip-address.ts';
import {
  completed,
  findMacAddresses,
  isLocallyAdministered,
  isOneMacAddress,
  kindOf,
  type MacAddress,
  type MacKind,
  readMacAddresses,
} from './mac-address.ts';
import { normalise } from './text.ts';

/** What a device can be asked for by. Their forms differ, so a stored text tells which one it is. */
export type DeviceAddress = MacAddress | IpAddress;
/** What an address can stand for; only a `device` can have a session. */
export type AddressKind = MacKind | IpKind;

/** `addresses`: to be asked for, each once. `beside`: IP addresses that are not. `faults`: words meant as an IP address. */
export type FoundAddresses = {
  addresses: DeviceAddress[];
  beside: IpAddress[];
  faults: Array<{ word: string; fault: IpFault }>;
};

/**
 * Finds the MAC addresses and the IP addresses of a text, in order. Without a MAC address, every whole IP address counts.
 * Beside MAC addresses, IP addresses count if the text is a list: log lines that people paste name switches and servers too.
 * Digits that may be any number count as MAC addresses if the text holds no clear address of either kind. Takes linear time.
 */
export function findDeviceAddresses(text: string): FoundAddresses {
  if (ONE_MAC.test(text)) {
    const address = text.trim().toUpperCase().replaceAll('-', ':') as MacAddress;
    return { addresses: [address], beside: [], faults: [] };
  }
  const plain = normalise(text);
  const words = joinRanges(plain, wordsIn(plain));
  const starts = [0, ...words.map(({ end }) => end)]; // The texts before, between and behind the words begin here.
  const rests = starts.map((start, index) => plain.slice(start, words[index]?.start));
  const macs = rests.map(readMacAddresses);
  const doubtful = macs.flatMap((each) => each.doubtful.map(({ address }) => address));
  const clear = macs.flatMap(({ clear }, index) => {
    const word = words[index];
    return word?.kind === 'address' ? [...clear, word.address] : clear;
  });
  const all = [...new Set<DeviceAddress>(clear.length > 0 ? clear : doubtful)];
  const faults = words.flatMap((word) =>
    word.kind === 'fault' ? [{ word: word.text, fault: word.fault }] : [],
  );
  if (!all.some(isMacAddress) || rests.every(isList)) return { addresses: all, beside: [], faults };
  const beside = all.filter((address) => !isMacAddress(address));
  return { addresses: all.filter(isMacAddress), beside, faults: [] };
}

/** Most questions are this and nothing else. Reading the text for IP addresses too takes three times as long. */
const ONE_MAC = /^\s*[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}\s*$/i;

export function isMacAddress(address: DeviceAddress): address is MacAddress {
  return /^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(address);
}

/** Reads an address that was stored; empty if there is none. */
export function readDeviceAddress(stored: string): DeviceAddress[] {
  return findDeviceAddresses(stored).addresses;
}

export function addressKindOf(address: DeviceAddress): AddressKind {
  return isMacAddress(address) ? kindOf(address) : ipKindOf(address);
}

/** A virtual address that routers share, and whose it is in our words: `HSRP group 1`. */
export type Gateway = { address: MacAddress; role: string };

/** First-hop redundancy: Cisco's HSRP (RFC 2281; version 2; IPv6) and GLBP, and VRRP (RFC 9568, section 7.3). */
const GATEWAYS: ReadonlyArray<readonly [pattern: RegExp, protocol: string]> = [
  [/^00:00:0C:07:AC:(..)$/, 'HSRP'],
  [/^00:00:0C:9F:F(.:..)$/, 'HSRP'],
  [/^00:05:73:A0:0(.:..)$/, 'HSRP'],
  [/^00:00:5E:00:0[12]:(..)$/, 'VRRP'],
  [/^00:07:B4:0(.:..):..$/, 'GLBP'],
];

function gatewayOf(address: DeviceAddress): Gateway[] {
  return GATEWAYS.flatMap(([pattern, protocol]) => {
    const group = pattern.exec(address)?.[1]?.replace(':', '');
    const role = `${protocol} group ${Number.parseInt(group ?? '', 16)}`;
    return group === undefined ? [] : [{ address: address as MacAddress, role }];
  });
}

/**
 * A line of `show mac address-table` about the switch itself: `All  0100.0ccc.cccc  STATIC  CPU`,
 * `1  7c21.0d00.0001  STATIC  Vl1`, `G 10  0012.3456.789a  static  -  F  F  sup-eth1(R)`.
 */
const OWN_LINE =
  /^.*(?:[\da-f]{4}\.){2}[\da-f]{4}\s+static\s+(?:\S\s+\w\s+\w\s+)?(?:CPU|Vl(?:an)?\d+|sup-eth\d+(?:\(R\))?)\s*$/gim;

/**
 * Parts the devices of a pasted table from what stands for none: the switch's own addresses, groups and virtual gateways. If
 * nothing but groups is there, they stay: somebody asks for them.
 */
export function sortPasted(text: string, addresses: readonly DeviceAddress[]) {
  const gateways = addresses.flatMap(gatewayOf);
  const own = new Set<string>((text.match(OWN_LINE) ?? []).flatMap((line) => findMacAddresses(line, 'wide')));
  const isGateway = new Set<string>(gateways.map(({ address }) => address));
  const others = addresses.filter((address) => !isGateway.has(address));
  const devices = others.filter((address) => !own.has(address) && addressKindOf(address) === 'device');
  return { devices: devices.length > 0 ? devices : others, gateways };
}

/** A word that is an IP address, or was meant as one; `start` and `end` are its place in the text. */
type Word = { text: string; start: number; end: number } & NonNullable<ReturnType<typeof readIpWord>>;
/** A prefix's length, a mask or a wildcard mask behind the only slash. */
const NETWORK = /^[^/]*\/(?:\d{1,3}|(?:255|0)(?:\.\d{1,3}){3})[^\w/]*$/;
/** What every IP address holds, whole or with a slip. */
const IP_LIKE = /\.[\d*x]|[\da-f]:|::/i;
/** More is no address, and a pattern would take long. */
const LONGEST = 120;

function wordsIn(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}_.:%*/[\]-]+/gu)].flatMap(({ 0: chunk, index }) => {
    if (!IP_LIKE.test(chunk)) return []; // Most words are none, and this test is quick.
    const network = NETWORK.test(chunk.slice(-LONGEST)) && readAt(chunk, index);
    if (network) return network;
    const host = /^[^/]*:\/\//.exec(chunk)?.[0].length; // Only the host of a web address counts.
    return [...chunk.matchAll(/[^/]+/g)].flatMap(
      ({ 0: part, index: at }) => ((host ?? at) === at && readAt(part, index + at)) || [],
    );
  });
}

/** Reads a word without a label before it (`ip:`) and without the punctuation around it. */
function readAt(word: string, start: number): Word[] | undefined {
  if (word.length > LONGEST) return undefined;
  const [label = ''] = /^[\p{L}\p{N}_-]*:(?!:)/u.exec(word) ?? [];
  const text = withoutPunctuation(/[^\da-f:]/i.test(label) ? word.slice(label.length) : word);
  const read = readIpWord(text);
  return read && [{ ...read, text, start, end: start + word.length }];
}

/** Keeps the `::` at an IPv6 address's ends, the brackets around one, and the star in `198.51.100.*`. */
function withoutPunctuation(word: string): string {
  const text = word.replace(/^[._*-]+|^:(?!:)/, '').replace(/[._-]+$|(?<!:):$|(?<!\.)\*+$/, '');
  return text.includes('[') === text.includes(']') ? text : text.replace(/^\[|\]$/, '');
}

function joinRanges(text: string, words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const between = last?.kind === 'address' && word.kind === 'address' && text.slice(last.end, word.start);
    if (!last || !between || !/^ {1,3}- {1,3}$/.test(between)) joined.push(word);
    else
      joined.splice(-1, 1, { ...RANGE, text: `${last.text}-${word.text}`, start: last.start, end: word.end });
  }
  return joined;
}

/** Whether a text holds MAC addresses alone, apart from what separates or encloses them. */
function isList(text: string): boolean {
  const items = text.replace(/["'`()<>[\]*]/g, ' ').split(/[,;?!\r\n]|\band\b/i);
  const isPlain = (word: string) => /^[.-]?$/.test(word) || isOneMacAddress(word);
  return items.every((item) => isOneMacAddress(item.trim()) || item.split(/\s/).every(isPlain));
}

/** Reads O as 0, and l, I, i and | as 1: people confuse these characters when they type, or read a label. */
const withoutLetters = (text: string) => text.replace(/[oO]/g, '0').replace(/[lI|i]/g, '1');

/** Returns the MAC addresses of a text {@link withoutLetters}: guesses, which the bot offers and never looks up unasked. */
export function guessMacAddresses(text: string): MacAddress[] {
  const { clear, doubtful } = readMacAddresses(completed(withoutLetters(text)));
  if (doubtful.length === 0) return clear;
  const before = readMacAddresses(text).doubtful.map(({ address }) => address); // They are no slips.
  return [...clear, ...doubtful.map(({ address }) => address).filter((address) => !before.includes(address))];
}

export function guessIpAddresses(text: string): IpAddress[] {
  const { addresses } = findDeviceAddresses(withoutLetters(text));
  return addresses.filter((address) => !isMacAddress(address));
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

/** Returns who made a network card; undefined if the registries do not know, or if no maker assigned the address. */
export function findMaker(address: MacAddress): string | undefined {
  if (kindOf(address) !== 'device' || isLocallyAdministered(address)) return undefined;
  const digits = address.replaceAll(':', '');
  const find = (length: number) => findEntry(digits.slice(0, length))?.split('\n', 1)[0];
  const owner = find(6);
  return owner === undefined || owner === REGISTRAR ? (find(9) ?? find(7) ?? owner) : owner;
}

/** Owns the large blocks that are given out in smaller ones. The registries lack a few of these. */
const REGISTRAR = 'IEEE Registration Authority';

/**
 * The IEEE's registries (MA-L, MA-M and MA-S), from `oui-data`: JSON with an entry on each line, short prefixes before long
 * ones, and prefixes of one length in order (a test checks this). Parsing it would cost 50 ms and 30 MB.
 */
const registry = readFileSync(createRequire(import.meta.url).resolve('oui-data'));

const [LINE_END, QUOTE] = [0x0a, 0x22]; // Node searches for a byte far faster than for a text.

/** Searches the lines by halves. A line looks like ` "001B54": "Cisco Systems, Inc\n...",`. */
function findEntry(prefix: string): string | undefined {
  let low = registry.indexOf(LINE_END) + 1; // The first and the last line are brackets.
  let high = registry.lastIndexOf(LINE_END);
  while (low < high) {
    const start = registry.lastIndexOf(LINE_END, ((low + high) >> 1) - 1) + 1;
    const end = registry.indexOf(LINE_END, start);
    const found = registry.toString('latin1', start + 2, registry.indexOf(QUOTE, start + 2));
    if (found === prefix)
      return JSON.parse(registry.toString('utf8', start + found.length + 5, end).replace(/,$/, ''));
    const isBefore = found.length === prefix.length ? found < prefix : found.length < prefix.length;
    if (isBefore) low = end + 1;
    else high = start;
  }
  return undefined;
}
