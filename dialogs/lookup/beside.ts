import type { MacAddress } from '../../src/domain/mac-address.ts';
import { MAX_ADDRESSES } from '../dialog.ts';
import { button, withButtons } from '../format/card.ts';
import { type Line, line } from '../format/line.ts';
import type { Message } from '../format/message.ts';
import { lookUpButton } from './no-address.ts';

/** What a message holds without its text: the chat service sends a reference, or nothing. */
export type Unseen = 'file' | 'picture' | 'quote' | 'code' | 'component';

const WORDS = {
  quotedOne: (address: string) =>
    line`I look up quoted addresses only after ${'lookup'}. Here is one: ${address}.`,
  quoted: (count: number) => line`I look up quoted addresses only after ${'lookup'}. Here are ${count}.`,
  lookUpAll: (count: number) => `Look up the ${count} quoted addresses`,
  lookUpFirst: (count: number) => `Look up the first ${MAX_ADDRESSES} of ${count} quoted addresses`,
  cannotSee: (things: string) => line`${[`I cannot see ${things}.`]} Please send me the MAC address as text.`,
};

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
