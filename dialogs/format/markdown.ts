import { visible } from '../../src/text/visible.ts';

/**
 * Foreign text (from a device, a person or another system) as a code span. It keeps underscores, and no markdown, link or
 * mention works in it. Backticks become a look-alike; invisible characters become visible.
 */
export function code(foreign: string): string {
  const text = visible(foreign.replaceAll('`', 'ˋ'));
  return `\`${text.trim() === '' ? ' ' : text}\``;
}

/** Lines to copy. Never pass foreign text: three backticks would end the block. */
export function codeBlock(words: string): string {
  return `\`\`\`\n${words}\n\`\`\``;
}

const MOST_CHARACTERS = 200;

/** Cuts foreign text to 200 characters, so that a reply stays one message and is not split inside a code span. */
export function shorten(foreign: string): string {
  if (foreign.length <= MOST_CHARACTERS) return foreign;
  const characters = [...foreign.slice(0, 2 * MOST_CHARACTERS + 2)];
  return characters.length > MOST_CHARACTERS
    ? `${characters.slice(0, MOST_CHARACTERS).join('')}...`
    : foreign;
}

/** Joins lines: markdown needs two spaces before a line end (Teams, all clients). */
export function lines(...each: readonly string[]): string {
  return each.join('  \n');
}

/** Joins paragraphs with an empty line between them. */
export function paragraphs(...each: readonly string[]): string {
  return each.join('\n\n');
}
