import { visible } from '../../src/domain/text.ts';

/** A sentence or a part of one. Strings are ours; foreign text is marked, so that each target can render it as no markup. */
export type Line = ReadonlyArray<string | { foreign: string }>;

/** Makes a line: a string in a hole is foreign, a line is inserted. @example line`Did you mean ${guess}?` */
export function line(words: TemplateStringsArray, ...holes: ReadonlyArray<string | number | Line>): Line {
  const whole: Array<Line[number]> = [];
  for (const part of words.flatMap((word, index) => [word, ...partsOf(holes[index])])) {
    const last = whole.at(-1);
    if (typeof part === 'string' && typeof last === 'string') whole[whole.length - 1] = last + part;
    else if (part !== '') whole.push(part);
  }
  return whole;
}

function partsOf(hole: string | number | Line = []): Line {
  return typeof hole === 'object' ? hole : [typeof hole === 'number' ? String(hole) : { foreign: hole }];
}

/** Leaves out empty lines. */
export function joinLines(lines: readonly Line[], between: string): Line {
  return lines
    .filter(({ length }) => length > 0)
    .flatMap((each, index) => (index === 0 ? [...each] : [between, ...each]));
}

const rendered = (mark: (foreign: string) => string) => (text: Line) =>
  text.map((part) => (typeof part === 'string' ? part : mark(part.foreign))).join('');

/** Renders a line for a message's text: foreign text becomes a code span. */
export const toMarkdown = rendered(code);
/** Renders a line for a post to the room: foreign text is bare only if harmless, else in a code span. */
export const toRoom = rendered((foreign) => (isHarmless(foreign) ? foreign : code(foreign)));

/** Renders a line for a notification, which some client might read as markup: marks become their full-width look-alikes. */
export const toPlain = rendered((foreign) => {
  if (isHarmless(foreign)) return foreign;
  const marked = visible(foreign).replace(MARKS, (mark) => String.fromCharCode(mark.charCodeAt(0) + 0xfee0));
  return marked.trim() === '' ? '-' : marked;
});

/** What markdown, HTML, mentions and links are made of, and what makes a list at a line's beginning. */
const MARKS = /[!"#$&*<>[\]\\^`_{|}~@]|\.(?=[\p{L}\p{N}])|:(?=\/)|\/(?=\/)|^[-+=]|(?<=^\d{1,9})[.)]/gu;

function isHarmless(foreign: string): boolean {
  return (
    foreign === visible(foreign) &&
    /^[\p{L}\p{N}](?:[\p{L}\p{N} :/,()-]|[._](?=[\p{L}\p{N}]))*$/u.test(foreign) &&
    !/[:.]\/|\/\/|\.\p{L}{2}/u.test(foreign)
  );
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
