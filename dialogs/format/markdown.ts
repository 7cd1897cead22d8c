import { visible } from '../../src/text/visible.ts';

/**
 * Foreign text (what a device, a person or another system says) as a code span: the one place where no markdown, link or
 * mention works, and where underscores stay. Backticks become their look-alike, what cannot be seen becomes visible.
 */
export function code(foreign: string): string {
  const text = visible(foreign.replaceAll('`', 'ˋ'));
  return `\`${text.trim() === '' ? ' ' : text}\``;
}

const MOST_CHARACTERS = 200;

/** Foreign text cut to what a reader needs; a reply stays one message then, and is not split inside a code span. */
export function shorten(foreign: string): string {
  if (foreign.length <= MOST_CHARACTERS) return foreign;
  const characters = [...foreign.slice(0, 2 * MOST_CHARACTERS + 2)];
  return characters.length > MOST_CHARACTERS
    ? `${characters.slice(0, MOST_CHARACTERS).join('')}...`
    : foreign;
}

/** Lines that stay lines: markdown needs two spaces before the line end (Teams, all clients). */
export function lines(...each: readonly string[]): string {
  return each.join('  \n');
}

/** Paragraphs, with an empty line between. */
export function paragraphs(...each: readonly string[]): string {
  return each.join('\n\n');
}
