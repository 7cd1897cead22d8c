import { type Activity, ActivityTypes, CardFactory, type Mention, TextFormatTypes } from 'botbuilder';
import { MESSAGE_CHARACTERS, type Message } from '../../dialogs/format/message.ts';
import { splitText } from '../domain/text.ts';
import { isPersonal } from './activity.ts';
import { isTargeted } from './targeted.ts';

/** Chat services that show Adaptive Cards, by `channelId`. */
const CHANNELS_WITH_CARDS = ['msteams', 'webchat', 'directline', 'emulator'];

/** A card's quotation marks are escaped on the way, and its summary says much of it again. */
const MAX_CARD_CHARACTERS = 40_000;

/** A message as this chat service can show it: the card, or its text in as many pieces as it takes. */
export function piecesFor(message: Message, channelId: unknown): Message[] {
  const { card, summary = '' } = message;
  const isCard =
    card && showsCards(channelId) && JSON.stringify(card).length + summary.length <= MAX_CARD_CHARACTERS;
  return isCard ? [message] : textPieces(message, MESSAGE_CHARACTERS);
}

/** A channel that refused a piece may take its text in pieces of this size. */
const SMALL_TEXT_CHARACTERS = 7000;

/** A refused piece as smaller pieces without a card; none if the piece is as small already. */
export function smallerThan(message: Message): Message[] {
  const isSmall = !message.card && message.text.length <= SMALL_TEXT_CHARACTERS;
  return isSmall ? [] : textPieces(message, SMALL_TEXT_CHARACTERS);
}

/** Only the first piece mentions who asked. */
function textPieces({ text, mentionsAsker }: Message, limit: number): Message[] {
  const [first = '', ...others] = splitText(text, limit);
  const opening = mentionsAsker ? { text: first, mentionsAsker } : { text: first };
  return [opening, ...others.map((each) => ({ text: each }))];
}

/** The activity that says one piece. @param question whom to mention, and where */
export function activityOf(message: Message, question?: Activity): Partial<Activity> {
  const { card, summary = '', text } = message;
  const type = ActivityTypes.Message;
  const mention = message.mentionsAsker && question && mentionOfAsker(question);
  if (card) {
    const shown = mention && question.channelId === 'msteams' ? cardWithMention(card, mention) : card;
    return { type, attachments: [CardFactory.adaptiveCard(shown)], summary };
  }
  const textFormat = TextFormatTypes.Markdown;
  return mention
    ? { type, textFormat, text: `${mention.text}  \n${text}`, entities: [mention] }
    : { type, textFormat, text };
}

export function showsCards(channelId: unknown): boolean {
  return CHANNELS_WITH_CARDS.includes(String(channelId));
}

/** Who asked, as a mention; undefined where nobody else reads the answer, and if the question does not say who asked. */
function mentionOfAsker(question: Activity): Mention | undefined {
  const { id, name }: { id?: unknown; name?: unknown } = { ...question.from };
  if (typeof id !== 'string' || id === '' || isPersonal(question) || isTargeted(question)) return undefined;
  const plain = plainName(typeof name === 'string' ? name : '');
  return { type: 'mention', text: `<at>${plain}</at>`, mentioned: { id, name: plain } };
}

/** A card with a mention above it, as Teams documents for Adaptive Cards. Text beside a card would be a second message. */
function cardWithMention(card: Readonly<Record<string, unknown>>, mention: Mention): Record<string, unknown> {
  const { body = [] } = card as { body?: readonly unknown[] };
  const head = { type: 'TextBlock', text: mention.text, wrap: true };
  return { ...card, body: [head, ...body], msteams: { entities: [mention] } };
}

const MOST_CHARACTERS = 100;
/** A letter with its marks (many scripts write vowels as marks), or one of the few other characters of names. */
const PARTS = /\p{L}\p{M}{0,3}|[\p{Nd} .'’-]/gu;

/** A name that can hold no markup and no second tag. "you" if nothing is left that can be read. */
function plainName(foreign: string): string {
  const parts = foreign.slice(0, MOST_CHARACTERS).normalize('NFC').replace(/\s/g, ' ').match(PARTS) ?? [];
  const name = parts.join('').replace(/ +/g, ' ').trim();
  return /[\p{L}\p{Nd}]/u.test(name) ? name : 'you';
}
