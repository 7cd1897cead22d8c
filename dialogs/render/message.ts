import { z } from 'zod';
import * as card from './card.ts';
import { type Line, lines } from './words.ts';

/** A message from the bot. Untrusted text must go through `code` in `text`, and through `runs` in cards. */
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
  /** Mentions these people, where others read too. The names are untrusted. */
  mentions: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
});

/** The most of a text that one message takes; more goes in several. Teams takes about 100 KB in UTF-16, everything counted. */
export const MESSAGE_CHARACTERS = 28_000;

/** Where a message was sent, its asker (`reference.user`; older releases stored none), the asker's language and time zone. */
export type Place = z.infer<typeof placeSchema>;
export const placeSchema = z.object({
  reference: z.looseObject({ serviceUrl: z.string(), conversation: z.looseObject({ id: z.string() }) }),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
  /** The names of the team and the channel, or of the chat, as far as the chat service sends them. Untrusted. */
  title: z.string().optional(),
  /** Whether it is a channel with people of several tenants. */
  isShared: z.literal(true).optional(),
});

/** Tells a place where the sender alone sees messages, though others read its conversation (Teams: "targeted"). */
export const isTargetedPlace = ({ reference }: Place) => Boolean(Object(reference.bot).isTargeted);

/** The place with everyone who reads its conversation. */
export function placeForAll(place: Place): Place {
  if (!isTargetedPlace(place)) return place;
  const { isTargeted: _, ...bot } = Object(place.reference.bot);
  return { ...place, reference: { ...place.reference, bot } };
}

/** The readers at a place: its conversation, or one person in it. */
export function readersOf(place: Place, conversation = conversationOf(place)): string {
  const user = Object(place.reference.user);
  return isTargetedPlace(place) ? JSON.stringify([conversation, user.id]) : conversation;
}

/** The readers of one thread of a place's conversation, in which "again" means the thread's own last answer. */
export const threadOf = (place: Place) => readersOf(place, place.reference.conversation.id);

export const conversationOf = ({ reference }: Place) => withoutThread(reference.conversation.id);

/** Removes a thread's suffix (`;messageid=...`) from a channel's conversation id. */
export const withoutThread = (conversationId: string) => conversationId.replace(/;messageid=.*$/s, '');

export function messageOf(parts: readonly card.Part[], buttons: readonly card.Element[] = []): Message {
  const paragraphs: string[] = [];
  const summary: string[] = [];
  const elements: card.Element[] = [];
  for (const part of parts) {
    if (part.text.length > 0) paragraphs.push(lines(...part.text));
    summary.push(...part.summary);
    elements.push(...part.elements);
  }
  const text = paragraphs.join('\n\n');
  return { text, summary: summary.join('\n'), card: card.adaptiveCard(elements, buttons) };
}

/** A short message, a paragraph a line, with a card only if there are buttons. */
export const withButtons = (text: readonly Line[], buttons: readonly card.Element[]) =>
  withGroups(
    text.map((each) => [each]),
    buttons,
  );

/** A message in groups of lines, with a card only if there are buttons. */
export function withGroups(groups: readonly (readonly Line[])[], buttons: readonly card.Element[]): Message {
  const parts = groups.map((group) => card.linesPart(group));
  const message = messageOf(parts, buttons);
  return buttons.length > 0 ? message : { text: message.text };
}

/** An answer about a device that is still watched. */
export function withStop(message: Message, address: string): Message {
  const actions = (message.card?.actions ?? []) as ReadonlyArray<{ data?: { dialog?: unknown } }>;
  const others = actions.filter(({ data }) => data?.dialog !== 'watch');
  return {
    ...message,
    card: { ...message.card, actions: [...others, card.button('Stop', 'unwatch', address)] },
  };
}
