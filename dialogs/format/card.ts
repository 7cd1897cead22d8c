import { visible } from '../../src/domain/text.ts';
import { type Line, line } from './line.ts';

/** Elements of Adaptive Cards 1.5 that Teams shows on desktops and phones alike. */
export type Element = Readonly<Record<string, unknown>>;

/** What a verdict means for its reader. */
export type Tone = 'Default' | 'Good' | 'Attention';

export function card(body: readonly Element[], actions: readonly Element[] = []): Element {
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    body,
    ...(actions.length > 0 && { actions }),
  };
}

/**
 * Elements on a background in the tone's colour. The text keeps its own: Teams' green has a contrast of 2.1:1 on white, and
 * its red 3.2:1 on the dark theme.
 */
export function toned(tone: Tone, items: readonly Element[]): Element {
  const background = tone === 'Default' ? {} : { style: tone.toLowerCase(), bleed: true };
  return { type: 'Container', items, ...background };
}

// Never pass foreign text to the next three: a TextBlock reads markdown.

/** A heading, for screen readers too; large if it is short. */
export function heading(words: string): Element {
  const size = words.length > 24 ? 'Medium' : 'Large'; // Longer headings would fill a phone's screen.
  return { type: 'TextBlock', style: 'heading', text: words, size, weight: 'Bolder', wrap: true };
}

/** A label above what it names. */
export function label(words: string): Element {
  return { type: 'TextBlock', text: words, weight: 'Bolder', wrap: true, spacing: 'Medium' };
}

/** One of our sentences, apart from what stands above. */
export function note(words: string): Element {
  return { type: 'TextBlock', text: words, wrap: true, spacing: 'Medium' };
}

export type RunStyle = { weight?: 'Bolder'; isSubtle?: true; fontType?: 'Monospace' };
export type Spacing = 'Default' | 'Small' | 'None';

/** A line of text runs, which read no markdown: the only way for foreign text into a card. */
export function richText(runs: readonly Element[], spacing: Spacing = 'Small'): Element {
  return { type: 'RichTextBlock', inlines: runs, spacing };
}

/** A device's own address, in a form that is easy to copy, and the one that it was asked for by. */
export function addressRuns(address: string, asked = address): Element[] {
  const own = runs(line`${address}`, { fontType: 'Monospace', weight: 'Bolder' });
  return asked === address ? own : [...own, ...runs(line` at ${asked}`)];
}

/** A device's tokens, one a line. */
export function tokenLines(tokens: readonly string[]): Element[] {
  return tokens.map((token) => richText(runs(line`${token}`, { fontType: 'Monospace' }), 'None'));
}

/** A label and its value. */
export function row(label: Line, value: Line): Element {
  return richText([...runs([...label, ': '], { isSubtle: true }), ...runs(value)], 'None');
}

/**
 * A line as text runs, all in one style; usually one run. A run evaluates date and time formulas (`{{DATE(...)}}`).
 * `{{` is therefore split over two runs, which makes it plain text.
 */
export function runs(text: Line, style?: RunStyle): Element[] {
  let whole = '';
  for (const part of text) whole += typeof part === 'string' ? part : visible(part.foreign) || ' ';
  const pieces = whole.includes('{{') ? whole.split(/(?<=\{)(?=\{)/) : [whole];
  return pieces.map((text) => ({ ...style, type: 'TextRun', text }));
}

/**
 * A button. It sends what a person could have typed: a dialog's name and the text after it.
 * @param was what the message said, if a press edits it
 */
export function button(title: string, dialog: string, text: string, was?: object): Element {
  return { type: 'Action.Submit', title, data: { dialog, text, ...(was && { was }) } };
}

export function linkButton(title: string, url: string): Element {
  return { type: 'Action.OpenUrl', title, url };
}
