import { isMacAddress } from '../../src/domain/device-address.ts';
import { hasFailed, stateOf } from '../../src/domain/session.ts';
import { visible } from '../../src/domain/text.ts';
import { accountText, type DeviceAnswer, isDevice } from './device.ts';
import { capitalised, type Formatter, type Line, line, toMarkdown, toPlain, untrustedIn } from './words.ts';

/** A part of a message: lines of its text (one paragraph) and of its summary, and elements of its card. */
export type Part = { text: readonly string[]; summary: readonly string[]; elements: readonly Element[] };

/** The message's first words. Never pass untrusted text. */
export const headingPart = (words: string): Part => linePart([words], [heading(words)]);
/** One of our sentences at the end of what it closes. Never pass untrusted text. */
export const notePart = (words: string): Part => linePart([words], [note(words)]);

/** @param elements the line in the card; default: a rich text */
export function linePart(line: Line, elements: readonly Element[] = [richText(runs(line))]): Part {
  return { text: [toMarkdown(line)], summary: [toPlain(line)], elements };
}

export function linesPart(each: readonly Line[], style?: RunStyle, spacing?: Spacing): Part {
  const elements = lineElements(each, style, spacing);
  return { text: each.map(toMarkdown), summary: each.map(toPlain), elements };
}

export const lineElements = (each: readonly Line[], style?: RunStyle, spacing?: Spacing): Element[] =>
  each.map((line) => richText(runs(line, style), spacing));

/** Several parts in one paragraph. */
export const joinParts = (parts: readonly Part[]): Part => ({
  text: parts.flatMap(({ text }) => text),
  summary: parts.flatMap(({ summary }) => summary),
  elements: parts.flatMap(({ elements }) => elements),
});

/** Elements of Adaptive Cards 1.5 that Teams shows on desktops and phones alike. */
export type Element = Readonly<Record<string, unknown>>;
export type Tone = 'Default' | 'Good' | 'Warning' | 'Attention';

export function adaptiveCard(body: readonly Element[], actions: readonly Element[] = []): Element {
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    body,
    ...(actions.length > 0 && { actions }),
  };
}

/** Elements on the tone's colour. The text keeps its own: Teams' green has a contrast of 2.1:1 on white, its red 3.2:1 on dark. */
export function toned(tone: Tone, items: readonly Element[]): Element {
  const background = tone === 'Default' ? {} : { style: tone.toLowerCase(), bleed: true };
  return { type: 'Container', items, ...background };
}

// Never pass untrusted text to the next three: a TextBlock reads markdown.

/** A heading, for screen readers too. */
export function heading(words: string): Element {
  return { type: 'TextBlock', style: 'heading', text: words, size: 'Large', weight: 'Bolder', wrap: true };
}

/** A heading that begins with words of ours. A text block would read untrusted ones as markdown, so text runs hold those. */
export function lineHeading(text: Line): Element[] {
  let end = 0;
  while (typeof text[end] === 'string') end++;
  const own = heading(capitalised(text.slice(0, end)).join('').trim());
  const others = runs(text.slice(end), { weight: 'Bolder', size: 'Large' });
  return end === text.length ? [own] : [own, richText(others, 'None')];
}

export const note = (words: string, weight?: 'Bolder'): Element => ({
  type: 'TextBlock',
  text: words,
  wrap: true,
  spacing: 'Medium',
  ...(weight && { weight }),
});

export type RunStyle = {
  weight?: 'Bolder';
  size?: 'Large' | 'Small';
  isSubtle?: true;
  fontType?: 'Monospace';
};
export type Spacing = 'Default' | 'Small' | 'None';

/** A line of text runs, which read no markdown: the only way for untrusted text into a card. */
export function richText(runs: readonly Element[], spacing: Spacing = 'Small'): Element {
  return { type: 'RichTextBlock', inlines: runs, spacing };
}

/** A device's own address, in a form that is easy to copy, and the one that it was asked for by. */
export function addressRuns(address: string, asked = address): Element[] {
  const own = runs(line`${address}`, { fontType: 'Monospace', weight: 'Bolder' });
  return asked === address ? own : [...own, ...runs(line` at ${asked}`)];
}

/** Texts to copy, each on a line of its own. */
export const codeLines = (texts: readonly string[]): Element[] =>
  texts.map((text) => richText(runs(line`${text}`, { fontType: 'Monospace' }), 'None'));

export const rows = (items: readonly Element[]): Element[] =>
  items.length > 0 ? [{ type: 'Container', spacing: 'Small', items }] : [];

export function row(label: Line, value: Line): Element {
  return richText([...runs([...label, ': '], { isSubtle: true }), ...runs(value)], 'None');
}

/** A line as text runs, usually one. A run evaluates formulas (`{{DATE(...)}}`), so `{{` is split over two: then it is text. */
export function runs(text: Line, style?: RunStyle): Element[] {
  let whole = '';
  for (const part of text) whole += typeof part === 'string' ? part : visible(untrustedIn(part)) || ' ';
  if (!whole.includes('{{')) return [{ ...style, type: 'TextRun', text: whole }];
  return whole.split(/(?<=\{)(?=\{)/).map((text) => ({ ...style, type: 'TextRun', text }));
}

/** A button that sends a text like a typed one. @param was the message's state, if a press edits it */
export function button(title: string, dialog: string, text: string, was?: object): Element {
  return { type: 'Action.Submit', title, data: { dialog, text, ...(was && { was }) } };
}

export function linkButton(title: string, url: string): Element {
  return { type: 'Action.OpenUrl', title, url };
}

/** The one button of a card for everything that a phone has no room for; empty if there is nothing. */
export function moreButton(body: readonly Element[], actions: readonly Element[]): Element[] {
  const isEmpty = body.length + actions.length === 0;
  return isEmpty ? [] : [{ type: 'Action.ShowCard', title: 'More', card: adaptiveCard(body, actions) }];
}

/** The card's line that names the device; it says so if the person's own account was used. */
export function addressLine(answer: DeviceAnswer): Element[] {
  const name = addressRuns(answer.address, answer.asked);
  const account = accountText(answer);
  return account === '' ? name : [...name, ...runs([account], { isSubtle: true })];
}

/** The button to the NAC's own page for a device. A link's path, query and fragment may hold colons (RFC 3986, section 3.3). */
export function nacButton(answer: DeviceAnswer, { nacLink }: Formatter): Element[] {
  if (nacLink === undefined || !isDevice(answer) || !isMacAddress(answer.address)) return [];
  return [linkButton('Open in the NAC', new URL(nacLink.replaceAll('{mac}', answer.address)).href)];
}

const MAX_WATCHED = 5;

/** Offers to watch the first devices without a session, and those that the NAC keeps out or waiting. */
export function watchButton(answers: readonly DeviceAnswer[], { canWatch }: Formatter): Element[] {
  const addresses = canWatch ? answers.filter(isWaitedFor).map(({ address }) => address) : [];
  if (addresses.length === 0) return [];
  const text = `tell me when ${addresses.slice(0, MAX_WATCHED).join(' ')} connects`;
  return [button('Tell me when it connects', 'watch', text)];
}

function isWaitedFor({ address, outcome }: DeviceAnswer): boolean {
  if (!isMacAddress(address) || outcome.kind !== 'found')
    return isMacAddress(address) && outcome.kind === 'no session';
  const state = stateOf(outcome.record);
  if (state.kind === 'redirected') return state.to !== 'blocked';
  return state.kind === 'ended' || hasFailed(outcome.record);
}
