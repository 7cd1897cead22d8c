import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { SEARCHED } from '../../src/domain/text.ts';
import { MAX_ADDRESSES, PERSON_ADDRESSES, PERSON_MESSAGES } from '../dialog.ts';
import * as card from '../render/message.ts';
import { joinLines, type Line, line } from '../render/words.ts';

/** The address in our examples; it is locally administered, so no maker has given it to a device. */
export const EXAMPLE = 'AA:BB:CC:DD:EE:FF';

const TRY = line`Try ${`lookup ${EXAMPLE}`}, or ${'help'} for all I can do.`;
const example = (command = 'lookup') => line`For example: ${`${command} ${EXAMPLE}`}`;
const LOOKUP = example();
const BY_ADDRESS =
  'I look up devices by MAC address (12 digits, 0-9 and A-F, in any spelling) or by IP address';
/** A note with the answer about a device that somebody wants to change. */
export const ONLY_READS = 'I only read: I cannot change anything in the network.';

const saying = (words: string, ...more: readonly Line[]) => card.withButtons([[[words]], more], []);
const helping = (words: string) => card.withButtons([[[words]], [TRY]], [card.button('help', 'help', '')]);

export const welcome = saying("You're welcome.");
export const forAdmins = saying('This command is for the administrators of the bot.');
export const greeting = helping('Hello! Send me a MAC address, and I ask the NAC about it.');
export const which = (command: string) =>
  saying('Which device? Give me its MAC address, in any spelling, or its IP address.', example(command));
export const no = saying('All right. Please send me the address.');
export const fine = saying('All right.');
export const onlyReads = saying(`${ONLY_READS} But I can say how a device is.`, LOOKUP);
/** Says how to ask: most of these messages name a host or a port, or hold a mistyped address. */
export const unknown = (allowsUsers: boolean) => {
  const others = allowsUsers ? ', or by user ("lookup user NAME"); not by name' : '; not by name, user';
  return helping(`I did not understand that. ${BY_ADDRESS}${others} or switch port.`);
};
export const usersOff = saying(`Lookup by user is off; an operator can allow it. ${BY_ADDRESS}.`, LOOKUP);

/** More buttons would fill a phone's screen. */
const MAX_BUTTONS = 5;

/** Offers every kind of suspect: corrections, digits that may be any number, quoted addresses, other threads' devices. */
export function didYouMean(addresses: readonly DeviceAddress[], command = 'lookup') {
  const all = addresses.length;
  if (all <= MAX_BUTTONS) {
    const each = addresses.map((address) => line`${address}`);
    const buttons = addresses.map((address) => card.button(`${command} ${address}`, command, address));
    return card.withButtons([[line`Did you mean ${joinLines(each, ' or ')}?`]], buttons);
  }
  const title = `Look up the ${all > MAX_ADDRESSES ? `first ${MAX_ADDRESSES} of ${all}` : all} addresses`;
  const button = card.button(title, 'lookup', addresses.slice(0, MAX_ADDRESSES).join(' '));
  return card.withButtons([[line`Did you mean these ${all} addresses?`]], [button]);
}

export function suggest({ name, text }: { name: string; text: string }): card.Message {
  const typed = `${name} ${text}`.trim();
  return card.withButtons([[line`Did you mean ${typed}?`]], [card.button(typed, name, text)]);
}

export function faultMessage(word: string): card.Message {
  const more = 6 - word.split(/[:-]/).length;
  const missing = more === 1 ? 'One pair is missing' : `${more} pairs are missing`;
  const fault = more < 0 ? 'One pair is too many' : missing;
  return card.withButtons([[line`${[fault]} in ${word}: a MAC address has six pairs.`], [LOOKUP]], []);
}

export const CANNOT_SEE =
  'I cannot see pictures, files or the text of some quotes. Please send me the MAC address as text.';

export const exampleButton = () => card.button('Try an example', 'lookup', EXAMPLE);

/** The most addresses that wait behind a button. More would make the card too large. */
const MAX_LEFT = 200;

/** Says that only the beginning of a message was searched. @param inVain whether it holds no address */
export const onlyFirstPart = (inVain = false) =>
  `That message is long: I searched only its first ${SEARCHED / 1024} KB${inVain ? ', and found no address there' : ''}.`;

/** Says that only the first addresses of a message are looked up. @param all how many the message holds */
export const firstOnly = (all: number) =>
  `That message holds ${all} addresses. I look up the first ${MAX_ADDRESSES}.`;

/** Offers the addresses that one message has too many. */
export function offerRest(all: readonly DeviceAddress[]): card.Message {
  const rest = all.slice(MAX_ADDRESSES, MAX_ADDRESSES + MAX_LEFT);
  const button = card.button(`Look up ${rest.length} more`, 'lookup', rest.join(' '));
  return card.withButtons([[[firstOnly(all.length)]]], [button]);
}

/** The answer to a person over the limit of a minute. @param waitMs until the next minute begins */
export const tooOften = (waitMs: number) =>
  `That is more than I answer in a minute (${PERSON_ADDRESSES} addresses or ${PERSON_MESSAGES} messages). Please try again in ${Math.ceil(waitMs / 1000)} s.`;
