import { z } from 'zod';
import { card, type Element, heading, note, type RunStyle, richText, runs, type Spacing } from './card.ts';
import { type Line, lines, paragraphs, toMarkdown, toPlain } from './line.ts';

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

/**
 * The most of a message's text that one message in chat takes; a longer text goes in several. Teams takes messages of about
 * 100 KB in UTF-16, everything counted.
 */
export const MESSAGE_CHARACTERS = 28_000;

/**
 * Where a message was sent, and its asker's language and time zone. Plain data that can be stored. The reference's `user` is
 * who asked; a place of an older release may have none.
 */
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

/** The question's recipient. */
function botOf(reference: Place['reference']): { isTargeted?: unknown } {
  return { ...(reference.bot as { isTargeted?: unknown } | undefined) };
}

/** Who reads what is said at a place: its conversation, or one person in it. */
export function readersOf(place: Place): string {
  const { user } = place.reference as { user?: { id?: unknown } };
  const conversation = conversationOf(place);
  return isTargetedPlace(place) ? JSON.stringify([conversation, user?.id]) : conversation;
}

/** The id of a place's conversation, the same for all threads of a channel. */
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
export function headingPart(words: string): Part {
  return { text: [words], summary: [words], elements: [heading(words)] };
}

export function linePart(line: Line): Part {
  return linesPart([line]);
}

/** Lines that belong together. */
export function linesPart(each: readonly Line[], style?: RunStyle, spacing?: Spacing): Part {
  return {
    text: each.map(toMarkdown),
    summary: each.map(toPlain),
    elements: each.map((line) => richText(runs(line, style), spacing)),
  };
}

/** One of our sentences at the end of what it closes. Never pass foreign text. */
export function notePart(words: string): Part {
  return { text: [words], summary: [words], elements: [note(words)] };
}

/** Makes parts one paragraph. */
export function joinParts(parts: readonly Part[]): Part {
  return {
    text: parts.flatMap(({ text }) => text),
    summary: parts.flatMap(({ summary }) => summary),
    elements: parts.flatMap(({ elements }) => elements),
  };
}

/** A message of these parts, in this order, and the card's buttons. */
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
  const message = messageOf(text.map(linePart), buttons);
  return buttons.length > 0 ? message : { text: message.text };
}
