import { visible } from '../../src/domain/visible.ts';

/**
 * Foreign text (from a device, a person or another system) as a code span. It keeps underscores, and no markdown, link or
 * mention works in it. Backticks become a look-alike; invisible characters become visible.
 */
export function code(foreign: string): string {
  const text = visible(foreign.replaceAll('`', 'ˋ'));
  return `\`${text.trim() === '' ? ' ' : text}\``;
}

const MOST_CHARACTERS = 200;

/**
 * Cuts foreign text to 200 UTF-16 units as it is shown, so that a reply stays one message and is not split inside a code
 * span. An invisible character is shown as up to nine.
 */
export function shorten(foreign: string): string {
  const shown = visible(foreign.slice(0, MOST_CHARACTERS + 1));
  if (shown.length <= MOST_CHARACTERS) return shown;
  return `${shown.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

/** Joins lines: markdown needs two spaces before a line end (Teams, all clients). */
export function lines(...each: readonly string[]): string {
  return each.join('  \n');
}

/** Joins paragraphs with an empty line between them. */
export function paragraphs(...each: readonly string[]): string {
  return each.join('\n\n');
}
