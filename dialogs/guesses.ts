import type { MacAddress } from '../src/mac-address.ts';
import { guessMacAddresses } from '../src/mac-address-typos.ts';

const WORDS = {
  notLookedUp: (guesses: string) => `Not looked up, for an O or an l stands in it: did you mean ${guesses}?`,
};

/** More would fill a screen. */
const MOST_GUESSES = 20;

/** What looks like more addresses, mistyped: nobody should think that they were looked up too. */
export function guessesBeside(found: readonly MacAddress[], text: string): string[] {
  if (text.length < (found.length + 1) * 12) return []; // Too short to hold another one.
  const guesses = guessMacAddresses(text).filter((guess) => !found.includes(guess));
  return guesses.length === 0 ? [] : [WORDS.notLookedUp(guesses.slice(0, MOST_GUESSES).join(', '))];
}
