import {
  type Activity,
  ActivityTypes,
  type Attachment,
  CardFactory,
  type ConversationReference,
  TurnContext,
} from 'botbuilder';
import {
  isTargetedPlace,
  MESSAGE_CHARACTERS,
  type Message,
  type Place,
} from '../../dialogs/render/message.ts';
import { firstPart, type HtmlTexts, parseShallow, readHtml, readTyped, splitText } from '../domain/text.ts';
import { isPersonal } from './activity.ts';

/**
 * Reads a message. Teams delivers the person's words as a plain text with tags and entities in it, and once more as an HTML
 * attachment. It delivers quotes as a block quote in either, as a reference to a message, or as an entity with a preview.
 * `quoted`: quotes, forwarded messages and cards. `hasUnseen`: a picture, a file or a quote's text did not come along.
 */
export function readMessageContent(activity: Partial<Activity>) {
  const { text = '', attachments = [], entities = [] } = activity;
  const typed = readTyped(text);
  const parts = attachments.flatMap((each) => readAttachment(each) ?? []);
  const previews = entities.flatMap(({ type, quotedReply }) =>
    type === 'quotedReply' ? readHtml(quotedReply.preview).text : [],
  );
  const quoted = [...parts.map((part) => part.text), ...previews, typed.quoted].filter(Boolean).join('\n');
  const page = parts.find((part) => part.page)?.page;
  const [own, other] = [firstPart(ownWords(activity, typed.own, page)), firstPart(quoted)];
  // A quote often comes in two forms, and one of them is enough.
  const hasUnseen = quoted === '' && (parts.some((part) => part.isUnseen) || /<quoted\b/i.test(text));
  return { text: own.text, quoted: other.text, isCut: own.isCut || other.isCut, hasUnseen };
}

/**
 * The words without mentions. The attachment counts if the text is empty, as it can be for a table or a list, and next to a
 * quote, because the text can hold the quoted words too. It counts if both differ in spaces alone: the text can run lines together.
 */
function ownWords(activity: Partial<Activity>, typed: string, page?: HtmlTexts): string {
  const own = page?.own ?? '';
  const plain = activity.recipient ? TurnContext.removeRecipientMention({ ...activity, text: typed }) : typed;
  const isSame = plain.replace(/\s/g, '') === own.replace(/\s/g, '');
  const isNextToQuote = own !== '' && page?.quoted !== undefined;
  return isSame || isNextToQuote ? own : plain || own;
}

/** A text besides a person's own words. `page`: of an HTML attachment, which holds those words too. */
export type Part = { text: string; isUnseen?: boolean; page?: HtmlTexts };

/** Undefined: of no known kind. Kinds: https://learn.microsoft.com/graph/api/resources/chatmessageattachment */
export function readAttachment(attachment: Attachment): Part | undefined {
  const { contentType, content, contentUrl, name } = attachment;
  if (contentType === 'text/html') {
    if (typeof content !== 'string') return undefined;
    const page = readHtml(content);
    const isUnseen = page.quoted === '' || /schema\.skype\.com\/AMSImage/i.test(content);
    return { text: page.quoted ?? '', isUnseen, page };
  }
  if (/messageReference$/i.test(contentType)) {
    const text = readContent(content, isPreview);
    return { text, isUnseen: text === '' };
  }
  if (/^application\/vnd\.microsoft\.(?:teams\.)?card\./i.test(contentType))
    return { text: readContent(content) };
  const isFile = (!content && (contentUrl || name)) || /\.file\.download\.info$/i.test(contentType);
  return isFile || /^image\//i.test(contentType) ? { text: '', isUnseen: true } : undefined;
}

/** A reference's other fields hold ids, whose digits are no addresses. */
const isPreview = (name: string) => /^(?:messagePreview|originalMessageContent|)$/.test(name);

/**
 * Reads all texts of an attachment's content: a card or a reference, as an object or as JSON, or HTML.
 * @param isText whether a field's texts count, by its name
 */
export function readContent(content: unknown, isText = (_name: string) => true): string {
  const value = typeof content === 'string' ? (parseShallow(content) ?? content) : content;
  const fields = typeof value === 'object' ? Object.entries(value ?? {}) : [['', value] as const];
  const texts = textsIn(fields.flatMap(([name, each]) => (isText(name) ? [each] : [])));
  return texts.filter(Boolean).join('\n');
}

/** An activity, and JSON inside it, is nested 64 levels at most. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [readHtml(value).text] : Object.values(Object(value)).flatMap(textsIn);

const CHANNELS_WITH_CARDS = ['msteams', 'webchat', 'directline', 'emulator'];
/** A card's quotation marks are escaped on the way, and its summary says much of it again. */
const MAX_CARD_CHARACTERS = 40_000;

/** A message as this chat service can show it: the card, or its text in as many pieces as it takes. */
export function piecesFor(message: Message, channelId: unknown): Message[] {
  const { card, summary = '', ...words } = message;
  const isCard = card && showsCards(channelId);
  if (isCard && JSON.stringify(card).length + summary.length <= MAX_CARD_CHARACTERS) return [message];
  const [text = '', ...others] = splitText(words.text, MESSAGE_CHARACTERS);
  return [{ ...words, text }, ...others.map((each) => ({ text: each }))];
}

/** The activity of one piece. @param place where it goes; people are mentioned if others read there, too */
export function activityOf(message: Message, place: Place): Partial<Activity> {
  const { card, summary = '', text } = message;
  const type = ActivityTypes.Message;
  const mentions = mentionsIn(message, place);
  const names = mentions.map((each) => each.text).join(' ');
  if (!card) {
    const words = { type, textFormat: 'markdown' };
    return names === '' ? { ...words, text } : { ...words, text: `${names}  \n${text}`, entities: mentions };
  }
  const isShown = names !== '' && place.reference.channelId === 'msteams';
  // Mentions stand in the card, as Teams documents for Adaptive Cards. Text next to a card would be a second message.
  const head = { type: 'TextBlock', text: names, wrap: true };
  const body = [head, ...((card.body ?? []) as readonly unknown[])];
  const shown = isShown ? { ...card, body, msteams: { entities: mentions } } : card;
  return { type, attachments: [CardFactory.adaptiveCard(shown)], summary };
}

export const showsCards = (channelId: unknown) => CHANNELS_WITH_CARDS.includes(String(channelId));

/** The mentions of a message; none where nobody else reads it. Teams finds a mention by its text, so each has its own. */
function mentionsIn({ mentions = [] }: Message, place: Place) {
  const { conversation } = place.reference as unknown as ConversationReference;
  if (isPersonal({ conversation }) || isTargetedPlace(place)) return [];
  const people = mentions.filter(({ id }) => id !== '');
  const names = people.map(({ name }) => plainName(name));
  return names.map((name, at) => {
    const before = names.slice(0, at).filter((each) => each === name).length;
    const text = `<at>${name}${before > 0 ? ` ${before + 1}` : ''}</at>`;
    return { type: 'mention', text, mentioned: { id: people[at]?.id, name } };
  });
}

const MAX_CHARACTERS = 100;
/** A letter with its marks (many scripts write vowels as marks), or one of the few other characters of names. */
const PARTS = /\p{L}\p{M}{0,3}|[\p{Nd} .'’-]/gu;

/** A name that can hold no markup and no second tag. "you" if nothing is left that can be read. */
function plainName(untrusted: string): string {
  const parts = untrusted.slice(0, MAX_CHARACTERS).normalize('NFC').replace(/\s/g, ' ').match(PARTS) ?? [];
  const name = parts.join('').replace(/ +/g, ' ').trim();
  return /[\p{L}\p{Nd}]/u.test(name) ? name : 'you';
}
