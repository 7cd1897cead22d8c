import { visible } from '../../src/text/visible.ts';
import { type Line, line, toMarkdown, toPlain } from './line.ts';
import { paragraphs } from './markdown.ts';
import type { Message } from './message.ts';

/** Elements of Adaptive Cards 1.5 that Teams shows on desktops and phones alike. */
export type Element = Readonly<Record<string, unknown>>;

/** Colours of Adaptive Cards, by what they mean; the yellow of its warnings cannot be read on white. */
export type Tone = 'Default' | 'Good' | 'Attention';

/** A whole card. */
export function card(body: readonly Element[], actions: readonly Element[] = []): Element {
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    body,
    ...(actions.length > 0 && { actions }),
  };
}

/** Words of ours alone, large where they are few: a TextBlock would read markdown in foreign ones. */
export function heading(words: string, tone: Tone = 'Default'): Element {
  const size = words.length > MOST_LARGE ? 'Medium' : 'Large';
  return { type: 'TextBlock', text: words, size, weight: 'Bolder', color: tone, wrap: true };
}

/** More would fill a phone's screen. */
const MOST_LARGE = 24;

/** Words of ours alone, before what belongs to them. */
export function label(words: string): Element {
  return { type: 'TextBlock', text: words, weight: 'Bolder', wrap: true, spacing: 'Medium' };
}

export type RunStyle = {
  weight?: 'Bolder';
  isSubtle?: true;
  fontType?: 'Monospace';
  color?: Tone;
};

/** A line of text runs, in which no markdown is read: the only way of foreign text into a card. */
export function richText(runs: readonly Element[], spacing: 'Default' | 'Small' | 'None' = 'Small'): Element {
  return { type: 'RichTextBlock', inlines: runs, spacing };
}

/** A device's address, as the one who copies it wants it. */
export function addressRuns(address: string): Element[] {
  return runs(line`${address}`, { fontType: 'Monospace', weight: 'Bolder' });
}

/** A device's tokens, a line each. */
export function tokenLines(tokens: readonly string[]): Element[] {
  return tokens.map((token) => richText(runs(line`${token}`, { fontType: 'Monospace' }), 'None'));
}

/** A label and what stands behind it. */
export function row(label: Line, value: Line): Element {
  return richText([...runs([...label, ': '], { isSubtle: true }), ...runs(value)], 'None');
}

/**
 * A line as text runs, all in one style: one run, unless it holds a date or time formula (`{{DATE(...)}}`), which is read in
 * text runs too; cut in two, it is text again.
 */
export function runs(text: Line, style?: RunStyle): Element[] {
  let whole = '';
  for (const part of text) whole += typeof part === 'string' ? part : visible(part.foreign) || ' ';
  return whole.includes('{{')
    ? whole.split(/(?<=\{)(?=\{)/).map((piece) => run(piece, style))
    : [run(whole, style)];
}

function run(text: string, style: RunStyle | undefined): Element {
  return { ...style, type: 'TextRun', text };
}

/** What a button sends is what a person could have typed: the words behind a dialog's name. */
export function button(title: string, dialog: string, text: string): Element {
  return { type: 'Action.Submit', title, data: { dialog, text } };
}

/** A short message, with buttons under it where there are any. */
export function withButtons(text: readonly Line[], buttons: readonly Element[]): Message {
  const markdown = paragraphs(...text.map(toMarkdown));
  if (buttons.length === 0) return { text: markdown };
  return { text: markdown, summary: text.map(toPlain).join('\n'), card: textCard(text, buttons) };
}

/** The same as a card in any case. */
export function textCard(text: readonly Line[], buttons: readonly Element[] = []): Element {
  return card(
    text.map((each) => richText(runs(each))),
    buttons,
  );
}
