import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { SEARCHED } from '../../src/domain/first-part.ts';
import { MAX_ADDRESSES, PERSON_ADDRESSES, PERSON_MESSAGES } from '../dialog.ts';
import { button, withButtons } from '../format/card.ts';
import type { Format } from '../format/locale.ts';
import type { Message } from '../format/message.ts';

/** The most addresses that wait behind a button. More would make the card too large. */
const MAX_LEFT = 200;

const WORDS = {
  first: (all: string) => `That message holds ${all} addresses. I look up the first ${MAX_ADDRESSES}.`,
  when: (seconds: string) => `A minute's limit allows more in ${seconds} s.`,
  nextOne: 'Look up the other one',
  next: (count: string) => `Look up the next ${count}`,
  searched: `That message is long: I searched only its first ${SEARCHED / 1024} KB`,
};

/** Says that only the beginning of a message was searched. @param inVain whether it holds no address */
export function onlyFirstPart(inVain = false): string {
  return `${WORDS.searched}${inVain ? ', and found no address there' : ''}.`;
}

/** Says that only the first addresses of a message are looked up. @param all how many the message holds */
export function firstOnly(all: number, format: Format): string {
  return WORDS.first(format.number(all));
}

/**
 * Offers the addresses that one message has too many.
 * @param addresses all of the message's addresses
 * @param waitMs how long until a minute's limit allows the next ones
 */
export function offerRest(addresses: readonly DeviceAddress[], waitMs: number, format: Format): Message {
  const rest = addresses.slice(MAX_ADDRESSES, MAX_ADDRESSES + MAX_LEFT);
  const next = Math.min(rest.length, MAX_ADDRESSES);
  const when = waitMs > 0 ? ` ${WORDS.when(format.number(Math.ceil(waitMs / 1000)))}` : '';
  return withButtons(
    [[`${firstOnly(addresses.length, format)}${when}`]],
    [button(next === 1 ? WORDS.nextOne : WORDS.next(format.number(next)), 'lookup', rest.join(' '))],
  );
}

/** The answer to a person who asks more than a minute allows. @param waitMs until the next minute begins */
export function tooOften(waitMs: number, format: Format): string {
  const seconds = format.number(Math.ceil(waitMs / 1000));
  return `That is more than I answer in a minute (${PERSON_ADDRESSES} addresses or ${PERSON_MESSAGES} messages). Please try again in ${seconds} s.`;
}
