import { visible } from '../../src/domain/text.ts';

/** A sentence or a part of one. Strings are ours; foreign text is marked, so that each target can render it as no markup. */
export type Line = ReadonlyArray<string | { foreign: string }>;

/** Makes a line: a string in a hole is foreign, a line is inserted. @example line`Did you mean ${guess}?` */
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

export function joinLines(lines: readonly Line[], between: string): Line {
  return lines.flatMap((each, index) => (index === 0 ? [...each] : [between, ...each]));
}

/** Renders a line for a message's text: foreign text becomes a code span. */
export function toMarkdown(text: Line): string {
  return text.map((part) => (typeof part === 'string' ? part : code(part.foreign))).join('');
}

/**
 * Renders a line for a notification, which some client might read as markup: there, foreign text is bare if it is harmless;
 * else the marks in it become their full-width look-alikes.
 */
export function toPlain(text: Line): string {
  return text.map((part) => (typeof part === 'string' ? part : inert(part.foreign))).join('');
}

function inert(foreign: string): string {
  if (isHarmless(foreign)) return foreign;
  const marked = visible(foreign).replace(MARKS, (mark) => String.fromCharCode(mark.charCodeAt(0) + 0xfee0));
  return marked.trim() === '' ? '-' : marked;
}

/** What markdown, HTML, mentions and links are made of, and what makes a list at a line's beginning. */
const MARKS = /[!"#$&*<>[\]\\^`_{|}~@]|\.(?=[\p{L}\p{N}])|:(?=\/)|\/(?=\/)|^[-+=]|(?<=^\d{1,9})[.)]/gu;

/** Renders a line for a post to the room: foreign text is bare only if harmless, else in a code span. */
export function toRoom(text: Line): string {
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

function append(whole: Array<Line[number]>, part: Line[number]): void {
  const last = whole.at(-1);
  if (typeof part === 'string' && typeof last === 'string') whole[whole.length - 1] = last + part;
  else if (part !== '') whole.push(part);
}

/** Foreign text as a code span: no markdown, link or mention works in it. Backticks become a look-alike; nothing is invisible. */
export function code(foreign: string): string {
  const text = visible(foreign.replaceAll('`', 'ˋ'));
  return `\`${text.trim() === '' ? ' ' : text}\``;
}

/** Cuts foreign text to 200 UTF-16 units as it is shown (an invisible character as up to nine): a reply stays one message. */
export function shorten(foreign: string): string {
  const most = 200;
  const shown = visible(foreign.slice(0, most + 1));
  if (shown.length <= most) return shown;
  return `${shown.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}...`;
}

/** Joins lines: markdown needs two spaces before a line end (Teams, all clients). */
export function lines(...each: readonly string[]): string {
  return each.join('  \n');
}

export function paragraphs(...each: readonly string[]): string {
  return each.join('\n\n');
}

/** What is said of each kind of an outcome or fault. */
export type Table<Outcome extends { kind: string }, Context, Words> = {
  readonly [Kind in Outcome['kind']]: (outcome: Outcome & { kind: Kind }, context: Context) => Words;
};

export function wordsFor<Outcome extends { kind: string }, Context, Words>(
  outcome: Outcome,
  table: Table<Outcome, Context, Words>,
  context: Context,
): Words {
  return table[outcome.kind as Outcome['kind']](outcome, context);
}
