import {
  type DeviceAddress,
  findDeviceAddresses,
  guessIpAddresses,
  isMacAddress,
} from '../../src/domain/device-address.ts';
import type { IpFault } from '../../src/domain/ip-address.ts';
import {
  faultOf,
  findMacAddresses,
  guessMacAddresses,
  type MacAddress,
  type MacFault,
  readMacAddresses,
} from '../../src/domain/mac-address.ts';
import { MAX_ADDRESSES } from '../dialog.ts';
import { button, type Element } from '../format/card.ts';
import { joinLines, type Line, line } from '../format/line.ts';
import { type Message, withButtons } from '../format/message.ts';

const WORDS = {
  guess: (guesses: readonly Line[]) => line`Did you mean ${joinLines(guesses, ' or ')}?`,
  lookUp: (address: string) => `Look up ${address}`,
  notLookedUp: (guesses: string) =>
    `I did not look up what seems mistyped (O for 0, l for 1). Did you mean ${guesses}?`,
  missing: line`Which device? Give me its MAC address, in any spelling, or its IP address.`,
  unlike: line`I look up devices by MAC address, in any spelling, or by IP address. I see neither here.`,
  ipUnasked: (count: number, first: string) =>
    line`${[count === 1 ? 'That is an IP address.' : 'Those are IP addresses.']} I look up devices by MAC address; for an IP address, type ${`lookup ${first}`}.`,
  badCharacter: (character: string) => line`That is no MAC address: ${character} is not one of 0-9 and A-F.`,
  half: (pairs: number) => line`That is half an address (${pairs} of 6 pairs). Give me all 6 pairs.`,
  uuid: line`That is a UUID. I look up devices by MAC address or by IP address.`,
  wrongLength: (digits: number) =>
    line`That is no MAC address: it has ${digits} hexadecimal ${[digits === 1 ? 'digit' : 'digits']}, and a MAC address has 12.`,
  wrongGroups: line`I cannot read that MAC address: I do not know this grouping of its 12 digits.`,
  ipBeside: (addresses: string) =>
    `I did not look up ${addresses}: I look up IP addresses if nothing but addresses stands beside them.`,
  doubtfulBeside: (written: string) =>
    `I did not look up ${written}: digits alone can be any number. If a device is meant, send them by themselves after lookup.`,
  partsBeside: (words: string) =>
    `I did not look up ${words}: a MAC address has 6 pairs of digits, and one is missing or too long.`,
  faultsBeside: (words: string) =>
    `I did not look up ${words}, because I need the whole address of one device.`,
  over255: (word: string, part: string) =>
    line`${word} is no IP address: ${part} is over 255. Each of the four numbers is 0 to 255.`,
  parts: (word: string, count: number) =>
    line`${word} is no whole IP address: it has ${count} numbers, and an IPv4 address has 4.`,
  leadingZeros: (word: string) =>
    line`${word} is ambiguous: with a zero in front, some systems read a number as octal. Type it without the zeros.`,
  network: (word: string) => line`${word} is a network, not one device. Give me the address of the device.`,
  range: (word: string) => line`${word} is a range, not one device. Give me each address by itself.`,
  malformed: (word: string) =>
    line`${word} is no IPv6 address. It needs 8 groups of up to 4 digits (0-9 and a-f); :: can stand once for groups of zeros.`,
  example: line`For example: ${'lookup AA:BB:CC:DD:EE:FF'}`,
  ipExample: line`For example: ${'lookup 198.51.100.23'}`,
  quotedOne: (address: string) =>
    line`I look up quoted addresses only after ${'lookup'}. Here is one: ${address}.`,
  quoted: (count: number) => line`I look up quoted addresses only after ${'lookup'}. Here are ${count}.`,
  lookUpAll: (count: number) => `Look up the ${count} quoted addresses`,
  lookUpFirst: (count: number) => `Look up the first ${MAX_ADDRESSES} of ${count} quoted addresses`,
  cannotSee: (things: string) => line`${[`I cannot see ${things}.`]} Please send me the MAC address as text.`,
};

/** More buttons would fill a phone's screen. */
const MOST_BUTTONS = 5;

/** More guesses in one sentence would fill a screen. */
const MOST_NAMED = 20;

/** The answer to a lookup without an address: the likely correction, or what is wrong with the text. */
export function noAddress(text: string): Message {
  const macs = guessMacAddresses(text);
  const guesses = macs.length > 0 ? macs : guessIpAddresses(text);
  if (guesses.length > 0) return offer(guesses);
  const [first] = findDeviceAddresses(text).faults;
  if (first) return notOneIpAddress(first.word, first.fault);
  if (text.trim() === '') return withButtons([WORDS.missing, WORDS.example], []);
  return withButtons([sayFault(faultOf(text)), WORDS.example], []);
}

/** The answer to digits that nobody put behind a command: they may be an address. Undefined if there are none. */
export function offerDoubtful(text: string): Message | undefined {
  const { doubtful } = readMacAddresses(text);
  return doubtful.length > 0 ? offer(doubtful.map(({ address }) => address)) : undefined;
}

/**
 * The answer to a message without a command that looks like an address and is none that is looked up unasked: digits
 * alone, an IP address, half an address, or one word that is nearly one. Undefined for any other message.
 */
export function nearAddress(text: string): Message | undefined {
  const { clear, doubtful } = readMacAddresses(text);
  if (clear.length > 0) return undefined;
  if (doubtful.length > 0 && !/\p{L}/u.test(text)) return offer(doubtful.map(({ address }) => address));
  const ips = findDeviceAddresses(text).addresses.filter((address) => !isMacAddress(address));
  if (ips[0] !== undefined)
    return withButtons([WORDS.ipUnasked(ips.length, ips[0])], ips.slice(0, MOST_BUTTONS).map(lookUpButton));
  const fault = faultOf(text);
  return isNear(fault, text) ? withButtons([sayFault(fault), WORDS.example], []) : undefined;
}

/** Times, dates and versions resemble a part of an address too. */
function isNear(fault: MacFault, text: string): boolean {
  const isAlone = NEARLY.test(text);
  switch (fault.kind) {
    case 'missing':
      return false;
    case 'uuid':
      return true;
    case 'half':
      return fault.pairs > 3 || (isAlone && /[a-f]/i.test(text));
    case 'wrong length':
      return isAlone && fault.digits >= 10;
    case 'bad character':
    case 'wrong groups':
      return isAlone;
  }
}

/** Nothing but letters and digits in groups, with at least one separator or ten digits. */
const NEARLY =
  /^\W*(?:[\da-z]{2}(?: [\da-z]{2}){2,7}|[\da-z]+(?:[:.-][\da-z]+)+|(?=[a-f]*\d)[\da-f]{10,16})\W*$/i;

function offer(guesses: readonly DeviceAddress[]): Message {
  const offered = guesses.slice(0, MOST_BUTTONS);
  return withButtons([WORDS.guess(offered.map((guess) => line`${guess}`))], offered.map(lookUpButton));
}

export function lookUpButton(address: DeviceAddress): Element {
  return button(WORDS.lookUp(address), 'lookup', address);
}

/** The shortest address, without leading zeros (`0:c:2:9:a:c`). */
const SHORTEST = 11;

/** Whether a text cannot hold one more MAC address. Most questions cannot, so they need not be read once more. */
function isTooShortForMore(found: readonly DeviceAddress[], text: string): boolean {
  return text.length < (found.filter(isMacAddress).length + 1) * SHORTEST;
}

/** Names mistyped addresses beside the correct ones, so that nobody believes they were looked up too. */
export function guessesBeside(found: readonly DeviceAddress[], text: string): string[] {
  if (isTooShortForMore(found, text)) return [];
  const correct = new Set([...found, ...readMacAddresses(text).clear]);
  const guesses = guessMacAddresses(text).filter((guess) => !correct.has(guess));
  return guesses.length === 0 ? [] : [WORDS.notLookedUp(guesses.slice(0, MOST_NAMED).join(', '))];
}

/** Names the digits that were not looked up, because a clear address stands beside them. */
export function doubtfulBeside(found: readonly DeviceAddress[], text: string): string[] {
  if (isTooShortForMore(found, text)) return [];
  const { doubtful } = readMacAddresses(text);
  const isLookedUp = doubtful.some(({ address }) => found.includes(address)); // Nothing clear stood beside them.
  if (doubtful.length === 0 || isLookedUp) return [];
  return [WORDS.doubtfulBeside(sayAll(doubtful.map(({ written }) => written)))];
}

/** Four to six groups with the same separator. A time has three, IPv6 and EUI-64 have eight. */
const PARTS =
  /(?<![\da-z:.-])[\da-f]{1,3}([:-])(?:[\da-f]{1,3}\1){2,4}[\da-f]{1,3}(?![\da-z]|[:.-][\da-z])/gi;

/** Names what seems meant as a MAC address, but lacks digits or has too many. */
export function partsBeside(text: string): string[] {
  const parts = (text.match(PARTS) ?? []).filter((part) => findMacAddresses(part, 'wide').length === 0);
  return parts.length === 0 ? [] : [WORDS.partsBeside(sayAll(parts))];
}

/** Names the IP addresses in the text after a command that were not looked up, and the words that were meant as one. */
export function ipAddressesBeside(text: string): string[] {
  const { beside, faults } = findDeviceAddresses(text);
  const words = faults.map(({ word }) => word).filter((word) => /^[0-9a-f][0-9a-f.:/-]*$/i.test(word));
  return [
    ...(beside.length > 0 ? [WORDS.ipBeside(sayAll(beside))] : []),
    ...(words.length > 0 ? [WORDS.faultsBeside(sayAll(words))] : []),
  ];
}

function sayAll(words: readonly string[]): string {
  return [...new Set(words)].slice(0, MOST_NAMED).join(', ');
}

/** The answer to a word that was meant as an IP address: what is wrong with it, and what to type. */
function notOneIpAddress(word: string, fault: IpFault): Message {
  return fault.kind === 'leading zeros'
    ? withButtons(
        [sayIpFault(word, fault), WORDS.guess([line`${fault.decimal}`])],
        [lookUpButton(fault.decimal)],
      )
    : withButtons([sayIpFault(word, fault), WORDS.ipExample], []);
}

function sayIpFault(word: string, fault: IpFault): Line {
  switch (fault.kind) {
    case 'over 255':
      return WORDS.over255(word, fault.part);
    case 'parts':
      return WORDS.parts(word, fault.count);
    case 'leading zeros':
      return WORDS.leadingZeros(word);
    case 'network':
      return WORDS.network(word);
    case 'range':
      return WORDS.range(word);
    case 'malformed':
      return WORDS.malformed(word);
  }
}

function sayFault(fault: MacFault): Line {
  switch (fault.kind) {
    case 'missing':
      return WORDS.unlike;
    case 'bad character':
      return WORDS.badCharacter(fault.character);
    case 'half':
      return WORDS.half(fault.pairs);
    case 'uuid':
      return WORDS.uuid;
    case 'wrong length':
      return WORDS.wrongLength(fault.digits);
    case 'wrong groups':
      return WORDS.wrongGroups;
  }
}

/** What a message holds without its text: the chat service sends a reference, or nothing. */
export type Unseen = 'file' | 'picture' | 'quote' | 'code' | 'component';

const NAMES: Readonly<Record<Unseen, string>> = {
  file: 'what is in a file',
  picture: 'what is in a picture',
  quote: 'the text of that quote',
  code: 'the code of that snippet',
  component: 'what is in a Loop component',
};

/** Offers the addresses that stand beside a person's words, in a quote or a card. Nobody has asked for them yet. */
export function offerQuoted(addresses: readonly MacAddress[]): Message {
  const [first, ...others] = addresses;
  if (first !== undefined && others.length === 0)
    return withButtons([WORDS.quotedOne(first)], [lookUpButton(first)]);
  const title = addresses.length > MAX_ADDRESSES ? WORDS.lookUpFirst : WORDS.lookUpAll;
  const text = addresses.slice(0, MAX_ADDRESSES).join(' ');
  return withButtons([WORDS.quoted(addresses.length)], [button(title(addresses.length), 'lookup', text)]);
}

/** What the bot says of a message without an address that it can read. @param unseen not empty */
export function cannotSee(unseen: readonly Unseen[]): Line {
  const names = [...new Set(unseen)].map((each) => NAMES[each]);
  return WORDS.cannotSee(names.join(' or '));
}

/** The address in our examples; it is locally administered, so no maker has given it to a device. */
export const EXAMPLE = 'AA:BB:CC:DD:EE:FF';

/** A button that looks up the example, so that a newcomer sees an answer. */
export function exampleButton(): Element {
  return button('Try an example', 'lookup', EXAMPLE);
}
