import { MAX_ADDRESSES, PERSON_ADDRESSES, PERSON_MESSAGES } from '../dialog.ts';
import type { Format } from '../format/locale.ts';

/** The answer to a message with more addresses than one message may hold. */
export function tooMany(addresses: number, format: Format): string {
  return `That message holds ${format.number(addresses)} addresses; I take at most ${MAX_ADDRESSES} at once. Please send them in smaller groups.`;
}

/** The answer to a person who asks more than a minute allows. @param waitMs until the next minute begins */
export function tooOften(waitMs: number, format: Format): string {
  const seconds = format.number(Math.ceil(waitMs / 1000));
  return `That is more than I answer in a minute (${PERSON_ADDRESSES} addresses or ${PERSON_MESSAGES} messages). Please try again in ${seconds} s.`;
}
