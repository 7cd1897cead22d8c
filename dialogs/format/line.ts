import { visible } from '../../src/text/visible.ts';
import { code } from './markdown.ts';

/**
 * A sentence or a part of one: words of ours, and foreign text (what a device, a person or another system says) marked as
 * such. It is rendered for each target by one function, so that nothing foreign is ever read as markup.
 */
export type Line = ReadonlyArray<string | { foreign: string }>;

/**
 * Words of ours with foreign text in the holes. A line in a hole stays what it is, a number counts as ours.
 *
 * @example line`Did you mean ${guess}?`
 */
export function line(words: TemplateStringsArray, ...holes: ReadonlyArray<string | number | Line>): Line {
  const whole: Array<Line[number]> = [];
  words.forEach((word, index) => {
    append(whole, word);
    const hole = holes[index];
    if (typeof hole === 'string') whole.push({ foreign: hole });
    else if (typeof hole === 'number') append(whole, String(hole));
    else for (const part of hole ?? []) append(whole, part);
  });
  return whole;
}

/** Lines one after another, with words of ours between. */
export function joinLines(lines: readonly Line[], between: string): Line {
  return lines.flatMap((each, index) => (index === 0 ? [...each] : [between, ...each]));
}

/** For the text of a message: what is foreign becomes a code span. */
export function toMarkdown(text: Line): string {
  return text.map((part) => (typeof part === 'string' ? part : code(part.foreign))).join('');
}

/**
 * For a notification, which knows no markup, though nobody can be sure of every client: what is foreign stands bare where
 * it could not be read as markup or as a link anyway, else as a code span.
 */
export function toPlain(text: Line): string {
  return text
    .map((part) =>
      typeof part === 'string' ? part : isHarmless(part.foreign) ? part.foreign : code(part.foreign),
    )
    .join('');
}

function isHarmless(foreign: string): boolean {
  return (
    foreign === visible(foreign) &&
    /^[\p{L}\p{N}](?:[\p{L}\p{N} :/,()-]|[._](?=[\p{L}\p{N}]))*$/u.test(foreign) &&
    !/[:.]\/|\/\/|\.\p{L}{2}/u.test(foreign)
  );
}

/** Words of ours that stand side by side become one part. */
function append(whole: Array<Line[number]>, part: Line[number]): void {
  const last = whole.at(-1);
  if (typeof part === 'string' && typeof last === 'string') whole[whole.length - 1] = last + part;
  else if (part !== '') whole.push(part);
}
