/** How much of a message is searched for addresses, in UTF-16 units: 32 KB of ordinary text. */
export const SEARCHED = 32 * 1024;

/** A longer word has no end within reach. No address is that long. */
const LONGEST_WORD = 200;

/**
 * Returns the first {@link SEARCHED} units of a text, and whether there was more. The text is cut before the last word, so that no
 * half of an address remains.
 */
export function firstPart(text: string): { text: string; isCut: boolean } {
  if (text.length <= SEARCHED) return { text, isCut: false };
  const part = text.slice(0, SEARCHED);
  const word = /\S{0,200}$/.exec(part.slice(-LONGEST_WORD))?.[0].length ?? 0;
  return { text: part.slice(0, part.length - word).replace(/[\uD800-\uDBFF]$/, ''), isCut: true };
}
