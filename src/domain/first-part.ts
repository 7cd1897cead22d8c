/** How much of a message is searched for addresses, in UTF-16 units: 32 KB of ordinary text. */
export const SEARCHED = 32 * 1024;

/** More than an address and a label around it. */
const LONGEST_WORD = 200;

/** What an address is written with, but for spaces: text without any, as JSON can be, is cut between words too. */
const LAST_WORD = /[\p{L}\p{N}:.%_-]*$/u;

/**
 * Returns the first {@link SEARCHED} units of a text, and whether there was more. The text is cut before the last word, so that no
 * half of an address remains.
 */
export function firstPart(text: string): { text: string; isCut: boolean } {
  if (text.length <= SEARCHED) return { text, isCut: false };
  const part = text.slice(0, SEARCHED);
  const word = LAST_WORD.exec(part.slice(-LONGEST_WORD))?.[0].length ?? 0;
  return { text: part.slice(0, part.length - word).replace(/[\uD800-\uDBFF]$/, ''), isCut: true };
}
