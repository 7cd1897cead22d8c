import { type Activity, ActivityTypes, CardFactory, TextFormatTypes } from 'botbuilder';
import type { Message } from '../../../dialogs/format/message.ts';
import { splitText } from '../../text/split-text.ts';

/** Chat services that show Adaptive Cards, by `channelId`. */
const CHANNELS_WITH_CARDS = ['msteams', 'webchat', 'directline', 'emulator'];

/**
 * Teams takes messages of about 100 KB in UTF-16, everything counted; a card's quotation marks are escaped on the way, and
 * its summary says much of it again.
 */
const MAX_TEXT_CHARACTERS = 28_000;
const MAX_CARD_CHARACTERS = 40_000;

/** A message as this chat service can show it: the card, or its text in as many pieces as it takes. */
export function piecesFor(message: Message, channelId: unknown): Message[] {
  if (message.card && showsCards(channelId) && fits(message)) return [message];
  return splitText(message.text, MAX_TEXT_CHARACTERS).map((text) => ({ text }));
}

/** A channel that refused a piece may take its text in pieces of this size. */
const SMALL_TEXT_CHARACTERS = 7000;

/** A refused piece as smaller pieces without a card; none if the piece is as small already. */
export function smallerThan({ card, text }: Message): Message[] {
  if (!card && text.length <= SMALL_TEXT_CHARACTERS) return [];
  return splitText(text, SMALL_TEXT_CHARACTERS).map((part) => ({ text: part }));
}

/** The activity that says one piece. */
export function activityOf(message: Message): Partial<Activity> {
  const { card, summary = '' } = message;
  return card
    ? { type: ActivityTypes.Message, attachments: [CardFactory.adaptiveCard(card)], summary }
    : { type: ActivityTypes.Message, text: message.text, textFormat: TextFormatTypes.Markdown };
}

export function showsCards(channelId: unknown): boolean {
  return CHANNELS_WITH_CARDS.includes(String(channelId));
}

function fits({ card, summary = '' }: Message): boolean {
  return lengthOf(card) + summary.length <= MAX_CARD_CHARACTERS;
}

/** How long a value is as JSON, but for what must be escaped; told without writing it. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  let length = 1; // The brackets, less the comma that the last one does not have.
  if (Array.isArray(value)) for (const item of value) length += lengthOf(item) + 1;
  else
    for (const name in value) length += name.length + 4 + lengthOf((value as Record<string, unknown>)[name]);
  return Math.max(length, 2);
}
