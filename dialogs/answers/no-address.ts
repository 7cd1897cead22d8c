import { faultOf, guessMacAddresses, type MacAddress, type MacFault } from '../../src/mac-address.ts';
import { button, withButtons } from '../format/card.ts';
import { joinLines, type Line, line } from '../format/line.ts';
import type { Message } from '../format/message.ts';

const WORDS = {
  guess: (guesses: readonly Line[]) => line`Did you mean ${joinLines(guesses, ' or ')}?`,
  lookUp: (address: string) => `Look up ${address}`,
  notLookedUp: (guesses: string) =>
    `I did not look up what seems mistyped (O for 0, l for 1). Did you mean ${guesses}?`,
  missing: line`Which device? Give me its MAC address, in any spelling.`,
  badCharacter: (character: string) => line`That is no MAC address: ${character} is not one of 0-9 and A-F.`,
  wrongLength: (digits: number) =>
    line`That is no MAC address: it has ${digits} hexadecimal ${[digits === 1 ? 'digit' : 'digits']}, and a MAC address has 12.`,
  wrongGroups: line`I cannot read that MAC address: I do not know this grouping of its 12 digits.`,
  example: line`For example: ${'lookup AA:BB:CC:DD:EE:FF'}`,
};

/** More buttons would fill a phone's screen. */
const MOST_BUTTONS = 5;

/** More guesses in one sentence would fill a screen. */
const MOST_NAMED = 20;

/** The answer to a lookup without an address: the likely correction, or what is wrong with the text. */
export function noAddress(text: string): Message {
  const guesses = guessMacAddresses(text).slice(0, MOST_BUTTONS);
  if (guesses.length === 0) return withButtons([sayFault(faultOf(text)), WORDS.example], []);
  return withButtons(
    [WORDS.guess(guesses.map((guess) => line`${guess}`))],
    guesses.map((guess) => button(WORDS.lookUp(guess), 'lookup', guess)),
  );
}

/** Names mistyped addresses beside the correct ones, so that nobody believes they were looked up too. */
export function guessesBeside(found: readonly MacAddress[], text: string): string[] {
  if (text.length < (found.length + 1) * 12) return []; // Too short to hold another address.
  const guesses = guessMacAddresses(text).filter((guess) => !found.includes(guess));
  return guesses.length === 0 ? [] : [WORDS.notLookedUp(guesses.slice(0, MOST_NAMED).join(', '))];
}

function sayFault(fault: MacFault): Line {
  switch (fault.kind) {
    case 'missing':
      return WORDS.missing;
    case 'bad character':
      return WORDS.badCharacter(fault.character);
    case 'wrong length':
      return WORDS.wrongLength(fault.digits);
    case 'wrong groups':
      return WORDS.wrongGroups;
  }
}
