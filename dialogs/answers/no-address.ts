import { faultOf, type MacFault } from '../../src/mac-address.ts';
import { guessMacAddresses } from '../../src/mac-address-typos.ts';
import { button, withButtons } from '../format/card.ts';
import { joinLines, type Line, line } from '../format/line.ts';
import type { Message } from '../format/message.ts';

const MOST_GUESSES = 5;

const WORDS = {
  guess: (guesses: readonly Line[]) => line`Did you mean ${joinLines(guesses, ' or ')}?`,
  lookUp: (address: string) => `Look up ${address}`,
  missing: line`Which device? Give me its MAC address, in any spelling.`,
  badCharacter: (character: string) => line`That is no MAC address: ${character} is not one of 0-9 and A-F.`,
  wrongLength: (digits: number) =>
    line`That is no MAC address: it has ${digits} hexadecimal ${[digits === 1 ? 'digit' : 'digits']}, and a MAC address has 12.`,
  wrongGroups: line`That is no MAC address that I can read: its 12 digits are not grouped as in any spelling I know.`,
  example: line`For example: ${'lookup AA:BB:CC:DD:EE:FF'}`,
};

/** What is said to a lookup without an address: what was likely meant, or what is wrong with it. */
export function noAddress(text: string): Message {
  const guesses = guessMacAddresses(text).slice(0, MOST_GUESSES);
  if (guesses.length === 0) return withButtons([sayFault(faultOf(text)), WORDS.example], []);
  return withButtons(
    [WORDS.guess(guesses.map((guess) => line`${guess}`))],
    guesses.map((guess) => button(WORDS.lookUp(guess), 'lookup', guess)),
  );
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
