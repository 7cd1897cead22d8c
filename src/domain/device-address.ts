import { type IpAddress, type IpFault, type IpKind, ipKindOf, readIpWord } from './ip-address.ts';
import {
  findMacAddresses,
  isOneMacAddress,
  kindOf,
  type MacAddress,
  type MacKind,
  readMacAddresses,
  withoutLetters,
} from './mac-address.ts';
import { normalise } from './text.ts';

/** What a device can be asked for by. Their forms differ, so a stored text tells which one it is. */
export type DeviceAddress = MacAddress | IpAddress;
/** What an address can stand for; only a `device` can have a session. */
export type AddressKind = MacKind | IpKind;

export type FoundAddresses = {
  /** The addresses to ask for, in order of first appearance, each once. */
  addresses: DeviceAddress[];
  /** IP addresses that are not asked for: the text holds MAC addresses too, and is more than a list. */
  beside: IpAddress[];
  /** Words that were meant as an IP address, if the text holds IP addresses alone or is a list. */
  faults: Array<{ word: string; fault: IpFault }>;
};

/**
 * Finds the MAC addresses and the IP addresses of a text. Without a MAC address, every whole IP address counts. Beside
 * MAC addresses, IP addresses count if the text is a list: the log lines that people paste name switches and servers too.
 * Digits that may be any number count as MAC addresses if the text holds no clear address of either kind.
 * Takes time linear in the text's length.
 */
export function findDeviceAddresses(text: string): FoundAddresses {
  if (ONE_MAC.test(text)) return { addresses: findMacAddresses(text, 'wide'), beside: [], faults: [] };
  const plain = normalise(text);
  const words = joinRanges(plain, wordsIn(plain));
  const starts = [0, ...words.map(({ end }) => end)]; // Of what stands before, between and behind the words.
  const rests = starts.map((start, index) => plain.slice(start, words[index]?.start));
  const macs = rests.map(readMacAddresses);
  const doubtful = macs.flatMap((each) => each.doubtful.map(({ address }) => address));
  const clear = macs.flatMap((each, index) => {
    const word = words[index];
    return word?.kind === 'address' ? [...each.clear, word.address] : each.clear;
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

/** Returns guesses at the IP addresses of a text, as for MAC addresses. */
export function guessIpAddresses(text: string): IpAddress[] {
  const { addresses } = findDeviceAddresses(withoutLetters(text));
  return addresses.filter((address) => !isMacAddress(address));
}

export function isMacAddress(address: DeviceAddress): address is MacAddress {
  return /^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(address);
}

/** Reads an address that was stored; empty if the text holds none. */
export function readDeviceAddress(stored: string): DeviceAddress[] {
  return findDeviceAddresses(stored).addresses;
}

export function addressKindOf(address: DeviceAddress): AddressKind {
  return isMacAddress(address) ? kindOf(address) : ipKindOf(address);
}

/** A word that is an IP address, or was meant as one; `start` and `end` are its place in the text. */
type Word = { text: string; start: number; end: number } & NonNullable<ReturnType<typeof readIpWord>>;
/** A prefix's length, a mask or a wildcard mask behind the last slash. */
const NETWORK = /\/(?:\d{1,3}|(?:255|0)(?:\.\d{1,3}){3})\W*$/;
/** What every IP address holds, whole or with a slip. */
const IP_LIKE = /\.[\d*x]|[\da-f]:|::/i;
/** More is no address, and a pattern would take long. */
const LONGEST = 120;

function wordsIn(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{N}_.:%*/[\]-]+/gu)].flatMap(({ 0: chunk, index }) => {
    if (!IP_LIKE.test(chunk)) return []; // Most words are none, and this test is quick.
    const parts = chunk.split('/');
    const network = parts.length === 2 && NETWORK.test(chunk.slice(-LONGEST)) && readAt(chunk, index);
    if (network) return network;
    const isUrl = parts[0]?.endsWith(':') && parts[1] === '' && parts.length > 2;
    let end = index - 1;
    return parts.flatMap((part, at) => {
      const start = end + 1;
      end = start + part.length;
      return (isUrl && at !== 2 ? undefined : readAt(part, start)) ?? []; // The host of a web address alone.
    });
  });
}

/** Reads a word without a label before it (`ip:`) and without the punctuation around it. */
function readAt(word: string, start: number): Word[] | undefined {
  if (word.length > LONGEST) return undefined;
  const [label = ''] = /^[\p{L}\p{N}_-]*:(?!:)/u.exec(word) ?? [];
  const text = withoutPunctuation(/[g-z_-]/i.test(label) ? word.slice(label.length) : word);
  const read = readIpWord(text);
  return read && [{ ...read, text, start, end: start + word.length }];
}

/** Keeps the `::` at an IPv6 address's ends, the brackets around one, and the star in `198.51.100.*`. */
function withoutPunctuation(word: string): string {
  const text = word.replace(/^[._*-]+|^:(?!:)/, '').replace(/[._-]+$|(?<!:):$|(?<!\.)\*+$/, '');
  if (text.includes('[') === text.includes(']')) return text;
  return text.replace(/^\[|\]$/, '');
}

function joinRanges(text: string, words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const between = last?.kind === 'address' && word.kind === 'address' && text.slice(last.end, word.start);
    if (!last || !between || !/^ {1,3}- {1,3}$/.test(between)) joined.push(word);
    else {
      const range = { text: `${last.text}-${word.text}`, start: last.start, end: word.end };
      joined.splice(-1, 1, { ...range, kind: 'fault', fault: { kind: 'range' } });
    }
  }
  return joined;
}

/** Whether a text holds MAC addresses alone, apart from what separates or encloses them. */
function isList(text: string): boolean {
  return text
    .replace(/["'`()<>[\]*]/g, ' ')
    .split(/[,;?!\r\n]|\band\b/i)
    .map((item) => item.trim())
    .every(
      (item) =>
        isOneMacAddress(item) ||
        item.split(/\s/).every((word) => /^[.-]?$/.test(word) || isOneMacAddress(word)),
    );
}
