import { z } from 'zod';
import { visible } from '../../src/domain/text.ts';
import { type Line, line, lines, paragraphs, toMarkdown, toPlain } from './line.ts';

/** A message from the bot. Foreign text must go through `code` in `text`, and through `runs` in cards. */
export type Message = z.infer<typeof messageSchema>;
export const messageSchema = z.object({
  /** Markdown. Shown if there is no card or the chat service shows no cards. */
  text: z.string(),
  /** An Adaptive Card, shown instead of the text. */
  card: z.record(z.string(), z.unknown()).optional(),
  /** The notification for the card, as plain text. */
  summary: z.string().optional(),
  /** Mentions who asked, where others read too: for an answer after its turn, when nobody waits any more. */
  mentionsAsker: z.literal(true).optional(),
});

/** The most of a text that one message takes; more goes in several. Teams takes about 100 KB in UTF-16, everything counted. */
export const MESSAGE_CHARACTERS = 28_000;

/** Where a message was sent, its asker (`reference.user`; older releases stored none), the asker's language and time zone. */
export type Place = z.infer<typeof placeSchema>;
export const placeSchema = z.object({
  reference: z.looseObject({ serviceUrl: z.string(), conversation: z.looseObject({ id: z.string() }) }),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});

/** Whether the asker alone sees what is said at a place, though others read its conversation (Teams: "targeted"). */
export function isTargetedPlace({ reference }: Place): boolean {
  return Boolean(botOf(reference).isTargeted);
}

/** The place with everyone who reads its conversation. */
export function placeForAll(place: Place): Place {
  if (!isTargetedPlace(place)) return place;
  const { isTargeted: _, ...bot } = botOf(place.reference);
  return { ...place, reference: { ...place.reference, bot } };
}

function botOf(reference: Place['reference']): { isTargeted?: unknown } {
  return { ...(reference.bot as { isTargeted?: unknown } | undefined) };
}

/** Who reads what is said at a place: its conversation, or one person in it. */
export function readersOf(place: Place): string {
  const { user } = place.reference as { user?: { id?: unknown } };
  const conversation = conversationOf(place);
  return isTargetedPlace(place) ? JSON.stringify([conversation, user?.id]) : conversation;
}

export function conversationOf({ reference }: Place): string {
  return withoutThread(reference.conversation.id);
}

/** Removes a thread's suffix (`;messageid=...`) from a channel's conversation id. */
export function withoutThread(conversationId: string): string {
  const [id = ''] = conversationId.split(';messageid=', 1);
  return id;
}

/** A part of a message: lines of its text (one paragraph) and of its summary, and elements of its card. */
export type Part = { text: readonly string[]; summary: readonly string[]; elements: readonly Element[] };

/** The message's first words. Never pass foreign text. */
export const headingPart = (words: string): Part => linePart([words], [heading(words)]);
/** One of our sentences at the end of what it closes. Never pass foreign text. */
export const notePart = (words: string): Part => linePart([words], [note(words)]);

/** @param elements what the card shows for the line; default: the line */
export function linePart(line: Line, elements: readonly Element[] = [richText(runs(line))]): Part {
  return { text: [toMarkdown(line)], summary: [toPlain(line)], elements };
}

export function linesPart(each: readonly Line[], style?: RunStyle, spacing?: Spacing): Part {
  return joinParts(each.map((line) => linePart(line, [richText(runs(line, style), spacing)])));
}

export function joinParts(parts: readonly Part[]): Part {
  return {
    text: parts.flatMap(({ text }) => text),
    summary: parts.flatMap(({ summary }) => summary),
    elements: parts.flatMap(({ elements }) => elements),
  };
}

export function messageOf(parts: readonly Part[], buttons: readonly Element[] = []): Message {
  const { summary, elements } = joinParts(parts);
  return {
    text: paragraphs(...parts.map(({ text }) => lines(...text))),
    summary: summary.join('\n'),
    card: card(elements, buttons),
  };
}

/** A short message, with a card only if there are buttons. */
export function withButtons(text: readonly Line[], buttons: readonly Element[]): Message {
  const message = messageOf(
    text.map((each) => linePart(each)),
    buttons,
  );
  return buttons.length > 0 ? message : { text: message.text };
}

/** Elements of Adaptive Cards 1.5 that Teams shows on desktops and phones alike. */
export type Element = Readonly<Record<string, unknown>>;
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

/** Elements on the tone's colour. The text keeps its own: Teams' green has a contrast of 2.1:1 on white, its red 3.2:1 on dark. */
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

export function label(words: string): Element {
  return { type: 'TextBlock', text: words, weight: 'Bolder', wrap: true, spacing: 'Medium' };
}

function note(words: string): Element {
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

export function tokenLines(tokens: readonly string[]): Element[] {
  return tokens.map((token) => richText(runs(line`${token}`, { fontType: 'Monospace' }), 'None'));
}

export function row(label: Line, value: Line): Element {
  return richText([...runs([...label, ': '], { isSubtle: true }), ...runs(value)], 'None');
}

/** A line as text runs, usually one. A run evaluates formulas (`{{DATE(...)}}`), so `{{` is split over two: then it is text. */
export function runs(text: Line, style?: RunStyle): Element[] {
  let whole = '';
  for (const part of text) whole += typeof part === 'string' ? part : visible(part.foreign) || ' ';
  const pieces = whole.includes('{{') ? whole.split(/(?<=\{)(?=\{)/) : [whole];
  return pieces.map((text) => ({ ...style, type: 'TextRun', text }));
}

/** A button that sends what a person could have typed. @param was what the message said, if a press edits it */
export function button(title: string, dialog: string, text: string, was?: object): Element {
  return { type: 'Action.Submit', title, data: { dialog, text, ...(was && { was }) } };
}

export function linkButton(title: string, url: string): Element {
  return { type: 'Action.OpenUrl', title, url };
}
