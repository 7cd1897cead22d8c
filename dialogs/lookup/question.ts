import {
  type DeviceAddress,
  faultOf,
  findDeviceAddresses,
  type Gateway,
  guessIpAddresses,
  guessMacAddresses,
  isMacAddress,
  type MacFault,
} from '../../src/domain/device-address.ts';
import type { IpFault } from '../../src/domain/ip-address.ts';
import { findMacAddresses, type MacAddress, readMacAddresses } from '../../src/domain/mac-address.ts';
import { SEARCHED } from '../../src/domain/text.ts';
import { MAX_ADDRESSES, PERSON_ADDRESSES, PERSON_MESSAGES, type Turn } from '../dialog.ts';
import * as card from '../format/card.ts';
import { type Message, withButtons } from '../format/message.ts';
import { joinLines, type Line, line, type Reader, type Table, wordsFor } from '../format/words.ts';

/** The address in our examples; it is locally administered, so no maker has given it to a device. */
export const EXAMPLE = 'AA:BB:CC:DD:EE:FF';

const WORDS = {
  missing: line`Which device? Give me its MAC address, in any spelling, or its IP address.`,
  ipUnasked: (count: number, first: string) =>
    line`${[count === 1 ? 'That is an IP address.' : 'Those are IP addresses.']} I look up devices by MAC address; for an IP address, type ${`lookup ${first}`}.`,
  mistyped: 'what seems mistyped (O for 0, l for 1). Did you mean ',
  anyNumber: ': digits alone can be any number. If a device is meant, send them by themselves after lookup.',
  pairs: ': a MAC address has 6 pairs of digits, and one is missing or too long.',
  ipBeside: ': I look up IP addresses if nothing but addresses stands beside them.',
  notWhole: ', because I need the whole address of one device.',
  gateways: ': routers share such an address.',
  example: line`For example: ${`lookup ${EXAMPLE}`}`,
  ipExample: line`For example: ${'lookup 198.51.100.23'}`,
  quoted: line`I look up quoted addresses only after ${'lookup'}.`,
};

/** More buttons would fill a phone's screen. */
const MOST_BUTTONS = 5;
const MOST_NAMED = 20;

/** The answer to a lookup without an address: the likely correction, or what is wrong with the text. */
export function noAddress(text: string): Message {
  const macs = guessMacAddresses(text);
  const guesses = macs.length > 0 ? macs : guessIpAddresses(text);
  if (guesses.length > 0) return offer(guesses);
  const [first] = findDeviceAddresses(text).faults;
  if (first) {
    const { word, fault } = first;
    const words = wordsFor(fault, IP_FAULTS, word);
    if (fault.kind !== 'leading zeros') return withButtons([words, WORDS.ipExample], []);
    return withButtons([words, sayGuesses([fault.decimal])], [lookUpButton(fault.decimal)]);
  }
  if (text.trim() === '') return withButtons([WORDS.missing, WORDS.example], []);
  return notMacAddress(faultOf(text));
}

function notMacAddress(fault: MacFault): Message {
  return withButtons([wordsFor(fault, MAC_FAULTS, undefined), WORDS.example], []);
}

/** The answer to digits that nobody put behind a command, or to slips: they may be an address. Undefined if there are none. */
export function offerDoubtful(text: string): Message | undefined {
  const { doubtful } = readMacAddresses(text);
  const guesses = doubtful.length > 0 ? doubtful.map(({ address }) => address) : guessMacAddresses(text);
  return guesses.length > 0 ? offer(guesses) : undefined;
}

/** The answer to a message without a command that is nearly an address, or one that is not looked up unasked; else undefined. */
export function nearAddress(text: string): Message | undefined {
  const { clear, doubtful } = readMacAddresses(text);
  if (clear.length > 0) return undefined;
  if (doubtful.length > 0 && !/\p{L}/u.test(text)) return offer(doubtful.map(({ address }) => address));
  const ips = findDeviceAddresses(text).addresses.filter((address) => !isMacAddress(address));
  if (ips[0] !== undefined)
    return withButtons([WORDS.ipUnasked(ips.length, ips[0])], ips.slice(0, MOST_BUTTONS).map(lookUpButton));
  const fault = faultOf(text);
  return isNear(fault, text) ? notMacAddress(fault) : undefined;
}

/** Times, dates and versions resemble a part of an address too. */
function isNear(fault: MacFault, text: string): boolean {
  const isAlone = NEARLY.test(text);
  if (fault.kind === 'missing' || fault.kind === 'uuid') return fault.kind === 'uuid';
  if (fault.kind === 'half') return fault.pairs > 3 || (isAlone && /[a-f]/i.test(text));
  return isAlone && (fault.kind !== 'wrong length' || fault.digits >= 10);
}

/** Nothing but letters and digits in groups, with at least one separator or ten digits. */
const NEARLY =
  /^\W*(?:[\da-z]{2}(?: [\da-z]{2}){2,7}|[\da-z]+(?:[:.-][\da-z]+)+|(?=[a-f]*\d)[\da-f]{10,16})\W*$/i;

function offer(guesses: readonly DeviceAddress[]): Message {
  const offered = guesses.slice(0, MOST_BUTTONS);
  return withButtons([sayGuesses(offered)], offered.map(lookUpButton));
}

function sayGuesses(guesses: readonly string[]): Line {
  const each = guesses.map((guess) => line`${guess}`);
  return line`Did you mean ${joinLines(each, ' or ')}?`;
}

const lookUpButton = (address: DeviceAddress) => card.button(`Look up ${address}`, 'lookup', address);

/** The shortest address, without leading zeros (`0:c:2:9:a:c`), and the shortest part of one, with its gap. */
const [SHORTEST, SHORTEST_PART] = [11, 8];

/** Four to six groups with the same separator. A time has three, IPv6 and EUI-64 have eight. */
const PARTS =
  /(?<![\da-z:.-])[\da-f]{1,3}([:-])(?:[\da-f]{1,3}\1){2,4}[\da-f]{1,3}(?![\da-z]|[:.-][\da-z])/gi;

/** The last pairs of an address, or the last number of one: "and :08", "and .108". */
const TAILS = /(?<=[\s,;(])(?:(?::[\da-f]{2}){1,5}|\.\d{1,3})(?=[\s,;).?!]|$)/gi;

/** Names what stands beside the addresses that were looked up, so that nobody believes it was looked up too. */
export function sayBeside(
  found: readonly DeviceAddress[],
  { text, isAsked, beside, faults }: Pick<Turn, 'text' | 'isAsked' | 'beside' | 'faults'>,
): string[] {
  // Most questions have no room for more than their MAC addresses, so they need not be read once more.
  const isLongEnough = text.length >= found.filter(isMacAddress).length * SHORTEST + SHORTEST_PART;
  const { clear, doubtful } = isLongEnough ? readMacAddresses(text) : { clear: [], doubtful: [] };
  const known = new Set<string>([...found, ...clear]);
  const mistyped = isLongEnough ? guessMacAddresses(text).filter((guess) => !known.has(guess)) : [];
  const isLookedUp = doubtful.some(({ address }) => found.includes(address)); // Nothing clear stood beside them.
  const digits = isAsked && !isLookedUp ? doubtful.map(({ written }) => written) : [];
  const parts =
    isLongEnough && isAsked
      ? (text.match(PARTS) ?? []).filter((part) => findMacAddresses(part, 'wide').length === 0)
      : [];
  const tails = isAsked ? (text.match(TAILS) ?? []) : [];
  const isBeside = tails.length > 0 && findDeviceAddresses(text).addresses.length > 0; // Else they were looked up.
  const words = faults.map(({ word }) => word).filter((word) => /^[0-9a-f][0-9a-f.:/-]*$/i.test(word));
  return [
    ...notLookedUp(mistyped, '?', WORDS.mistyped),
    ...notLookedUp(digits, WORDS.anyNumber),
    ...notLookedUp(parts, WORDS.pairs),
    ...notLookedUp(isBeside ? tails : [], WORDS.notWhole),
    ...notLookedUp(beside, WORDS.ipBeside),
    ...notLookedUp(words, WORDS.notWhole),
  ];
}

/** Names virtual gateways, which are no devices. */
export function sayGateways(gateways: readonly Gateway[]): string[] {
  const named = gateways.map(({ address, role }) => `${address} (${role}, a virtual gateway)`);
  return notLookedUp(named, WORDS.gateways);
}

function notLookedUp(words: readonly string[], why: string, what = ''): string[] {
  const named = [...new Set(words)].slice(0, MOST_NAMED).join(', ');
  return words.length > 0 ? [`I did not look up ${what}${named}${why}`] : [];
}

const IP_FAULTS: Table<IpFault, string, Line> = {
  'over 255': ({ part }, word) =>
    line`${word} is no IP address: ${part} is over 255. Each of the four numbers is 0 to 255.`,
  parts: ({ count }, word) =>
    line`${word} is no whole IP address: it has ${count} numbers, and an IPv4 address has 4.`,
  'leading zeros': (_, word) =>
    line`${word} is ambiguous: with a zero in front, some systems read a number as octal. Type it without the zeros.`,
  network: (_, word) => line`${word} is a network, not one device. Give me the address of the device.`,
  range: (_, word) => line`${word} is a range, not one device. Give me each address by itself.`,
  malformed: (_, word) =>
    line`${word} is no IPv6 address. It needs 8 groups of up to 4 digits (0-9 and a-f); :: can stand once for groups of zeros.`,
};

const MAC_FAULTS: Table<MacFault, undefined, Line> = {
  missing: () =>
    line`I look up devices by MAC address, in any spelling, or by IP address. I see neither here.`,
  'bad character': ({ character }) => line`That is no MAC address: ${character} is not one of 0-9 and A-F.`,
  half: ({ pairs }) => line`That is half an address (${pairs} of 6 pairs). Give me all 6 pairs.`,
  uuid: () => line`That is a UUID. I look up devices by MAC address or by IP address.`,
  'wrong length': ({ digits }) =>
    line`That is no MAC address: it has ${digits} hexadecimal ${[digits === 1 ? 'digit' : 'digits']}, and a MAC address has 12.`,
  'wrong groups': () => line`I cannot read that MAC address: I do not know this grouping of its 12 digits.`,
};

/** What a message holds without its text: the chat service sends a reference, or nothing. */
export type Unseen = keyof typeof UNSEEN;

const UNSEEN = {
  file: 'what is in a file',
  picture: 'what is in a picture',
  quote: 'the text of that quote',
  code: 'the code of that snippet',
  component: 'what is in a Loop component',
};

/** What the bot says of a message without an address that it can read. @param unseen not empty */
export function cannotSee(unseen: readonly Unseen[]): Line {
  const things = [...new Set(unseen)].map((each) => UNSEEN[each]).join(' or ');
  return [`I cannot see ${things}. Please send me the MAC address as text.`];
}

/** Offers the addresses that stand beside a person's words, in a quote or a card. Nobody has asked for them yet. */
export function offerQuoted(addresses: readonly MacAddress[]): Message {
  const [first, ...others] = addresses;
  if (first !== undefined && others.length === 0)
    return withButtons([line`${WORDS.quoted} Here is one: ${first}.`], [lookUpButton(first)]);
  const all = addresses.length;
  const count = all > MAX_ADDRESSES ? `first ${MAX_ADDRESSES} of ${all}` : all;
  const text = addresses.slice(0, MAX_ADDRESSES).join(' ');
  const title = `Look up the ${count} quoted addresses`;
  return withButtons([line`${WORDS.quoted} Here are ${all}.`], [card.button(title, 'lookup', text)]);
}

export const exampleButton = () => card.button('Try an example', 'lookup', EXAMPLE);

/** The most addresses that wait behind a button. More would make the card too large. */
const MAX_LEFT = 200;

/** Says that only the beginning of a message was searched. @param inVain whether it holds no address */
export function onlyFirstPart(inVain = false): string {
  const ending = inVain ? ', and found no address there' : '';
  return `That message is long: I searched only its first ${SEARCHED / 1024} KB${ending}.`;
}

/** Says that only the first addresses of a message are looked up. @param all how many the message holds */
export function firstOnly(all: number, reader: Reader): string {
  return `That message holds ${reader.number(all)} addresses. I look up the first ${MAX_ADDRESSES}.`;
}

/** Offers the addresses that one message has too many. @param waitMs until a minute's limit allows the next ones */
export function offerRest(addresses: readonly DeviceAddress[], waitMs: number, reader: Reader): Message {
  const rest = addresses.slice(MAX_ADDRESSES, MAX_ADDRESSES + MAX_LEFT);
  const next = Math.min(rest.length, MAX_ADDRESSES);
  const seconds = reader.number(Math.ceil(waitMs / 1000));
  const when = waitMs > 0 ? ` A minute's limit allows more in ${seconds} s.` : '';
  const lost = addresses.length - MAX_ADDRESSES - rest.length;
  const again =
    lost > 0 ? ` Please send the last ${reader.number(lost)} again: the button has no room for them.` : '';
  const title = next === 1 ? 'Look up the other one' : `Look up the next ${reader.number(next)}`;
  return withButtons(
    [[`${firstOnly(addresses.length, reader)}${when}${again}`]],
    [card.button(title, 'lookup', rest.join(' '))],
  );
}

/** The answer to a person who asks more than a minute allows. @param waitMs until the next minute begins */
export function tooOften(waitMs: number, reader: Reader): string {
  const seconds = reader.number(Math.ceil(waitMs / 1000));
  return `That is more than I answer in a minute (${PERSON_ADDRESSES} addresses or ${PERSON_MESSAGES} messages). Please try again in ${seconds} s.`;
}
