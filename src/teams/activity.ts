import type { Activity, Attachment, ConversationReference } from 'botbuilder';
import { ActivityTypes, CardFactory, DeliveryModes, TurnContext } from 'botbuilder';
import type { Submission, Turn } from '../../dialogs/dialog.ts';
import type { Message, Place } from '../../dialogs/render/message.ts';
import { isTargetedPlace, MESSAGE_CHARACTERS } from '../../dialogs/render/message.ts';
import { firstPart, type HtmlTexts, parseShallow, readHtml, readTyped, splitText } from '../domain/text.ts';

/** An activity as it arrived. */
export type Incoming = Pick<Turn, 'key' | 'place' | 'arrivedAt' | 'begunAt'> & { activity: Activity };

/** When a message or an edit was written, by the chat service (milliseconds since 1970); NaN if it did not say. */
export function writtenAtOf({ timestamp }: Partial<Activity>): number {
  return new Date(timestamp ?? Number.NaN).getTime();
}

/** The key of a message, unique over all conversations; a repeat has the same. An edit has its message's id, at another time. */
export function keyOf(activity: Partial<Activity>): string {
  const { conversation, id, type } = activity;
  const edit = isEdit(activity) ? [type, writtenAtOf(activity)] : [];
  return JSON.stringify([conversation?.id, id, ...edit]);
}

/** Whether a person edited a message. Other updates report a deletion, or one that was undone. */
export function isEdit({ type, channelData }: Partial<Activity>): boolean {
  return type === ActivityTypes.MessageUpdate && channelData?.eventType === 'editMessage';
}

/** Whether the replies to an activity are the answer to its request: an invoke, or a request that expects its replies. */
export function isAnsweredInResponse({ type, deliveryMode }: Activity): boolean {
  return type === ActivityTypes.Invoke || deliveryMode === DeliveryModes.ExpectReplies;
}

/** Whether only the sender of an activity, or of the one that a place refers to, reads its conversation. */
export function isPersonal({ conversation }: { conversation: object }): boolean {
  const { conversationType: type, isGroup } = Object(conversation);
  return type === undefined ? isGroup !== true : type === 'personal';
}

/** Whether a message in a channel or group was written to others: the bot receives it, but is not mentioned. */
export function isUnaddressed(activity: Activity): boolean {
  const { entities = [], recipient, value } = activity;
  const isMentioned = entities.some(({ mentioned }) => mentioned && mentioned.id === recipient?.id);
  const isPress = value !== undefined && value !== null;
  return !isPersonal(activity) && !isMentioned && !isTargeted(recipient) && !isPress;
}

/** Reads a pressed button's data: that of a message with a value and without a text. */
export function submissionOf({ value, text, replyToId }: Activity): Submission | undefined {
  const isData = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isData && !text?.trim() ? { data: { ...value }, cardId: replyToId } : undefined;
}

export function placeOf(activity: Activity): Place {
  const reference = TurnContext.getConversationReference(activity);
  const { localTimezone, channelData, serviceUrl } = activity;
  const tenantId = activity.conversation.tenantId ?? channelData?.tenant?.id;
  const conversation = { ...activity.conversation, ...(tenantId !== undefined && { tenantId }) };
  const names: unknown[] = [channelData?.team?.name, channelData?.channel?.name ?? conversation.name];
  const title = names.filter((name) => typeof name === 'string').join(', ');
  return {
    reference: { ...reference, serviceUrl, conversation },
    ...(localTimezone && { timeZone: localTimezone }),
    ...(title && { title: title.slice(0, 200) }),
    ...(channelData?.channel?.type === 'shared' && { isShared: true }),
  };
}

/**
 * In a channel or group chat, one person alone sees a targeted message. If a question is targeted, so is every answer to it.
 * Any form of "yes" counts, because a private answer must not become public.
 * @param flagged the recipient of a message, or the value of a pressed button
 * https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/targeted-messages
 */
export const isTargeted = (flagged: unknown) => Boolean(Object(flagged).isTargeted);

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
export type AttachmentText = { text: string; isUnseen?: boolean; page?: HtmlTexts };

/** Undefined: of no known kind. Kinds: https://learn.microsoft.com/graph/api/resources/chatmessageattachment */
export function readAttachment(attachment: Attachment): AttachmentText | undefined {
  const { contentType, content, contentUrl, name } = attachment;
  if (contentType === 'text/html' && typeof content === 'string') {
    const page = readHtml(content);
    const isUnseen = page.quoted === '' || /schema\.skype\.com\/AMSImage/i.test(content);
    return { text: page.quoted ?? '', isUnseen, page };
  }
  if (/messageReference$/i.test(contentType)) {
    const value = unpacked(content);
    // Its other fields hold ids, whose digits are no addresses.
    const { messagePreview, originalMessageContent } = Object(value);
    const text = readContent(typeof value === 'string' ? value : [messagePreview, originalMessageContent]);
    return { text, isUnseen: text === '' };
  }
  if (/^application\/vnd\.microsoft\.(?:teams\.)?card\./i.test(contentType))
    return { text: readContent(content) };
  const isFile = (!content && (contentUrl || name)) || /\.file\.download\.info$/i.test(contentType);
  return isFile || /^image\//i.test(contentType) ? { text: '', isUnseen: true } : undefined;
}

/** Reads all texts of an attachment's content: a card, as an object or as JSON, or HTML. */
export const readContent = (content: unknown) => textsIn(unpacked(content)).filter(Boolean).join('\n');

const unpacked = (content: unknown) =>
  typeof content === 'string' ? (parseShallow(content) ?? content) : content;

/** An activity, and JSON inside it, is nested 64 levels at most. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [readHtml(value).text] : Object.values(Object(value)).flatMap(textsIn);

/** A message of one activity, whose JSON is `body`. @property id of the message that it edits; undefined: it is a new one */
export type Piece = { message: Message; id: string | undefined; body: string };

const CHANNELS_WITH_CARDS = ['msteams', 'webchat', 'directline', 'emulator'];

/** Within 80 KB in UTF-16. A card's quotation marks are escaped on the way, and Teams takes 100 KB. */
const MAX_CARD_CHARACTERS = 40_000;

/** A message as this chat service can show it: the card, or its text in as many pieces as it takes. The first is an edit. */
export function piecesFor(message: Message, place: Place, editedId?: string): [Piece, ...Piece[]] {
  const { card, summary: _, ...words } = message;
  if (card && CHANNELS_WITH_CARDS.includes(String(place.reference.channelId))) {
    const piece = pieceOf(message, place, editedId);
    if (piece.body.length <= MAX_CARD_CHARACTERS) return [piece];
  }
  const [text = '', ...others] = splitText(words.text, MESSAGE_CHARACTERS);
  const first = pieceOf({ ...words, text }, place, editedId);
  return [first, ...others.map((each) => pieceOf({ text: each }, place))];
}

/** Teams refuses a targeted edit that names a recipient, and need not mark the press of a button, which carries the flag. */
export function pieceOf(message: Message, place: Place, id?: string): Piece {
  const reference = place.reference as unknown as ConversationReference;
  const edit = id === undefined ? {} : { id, attachments: [] };
  const content = { ...edit, ...contentOf(message, place) };
  const activity = TurnContext.applyConversationReference(content, reference);
  if (!isTargetedPlace(place)) return { message, id, body: JSON.stringify(activity) };
  const { entities = [], recipient, replyToId: messageId } = activity;
  const targeted = {
    ...activity,
    from: { ...reference.bot, isTargeted: undefined },
    recipient: id === undefined ? recipient : undefined,
    entities: [...entities, { type: 'targetedMessageInfo', messageId }],
  };
  return { message, id, body: JSON.stringify(targeted, flagButton) };
}

const flagButton = (_: string, value: unknown) => {
  const { type, data } = Object(value);
  return type === 'Action.Submit' ? { ...Object(value), data: { ...data, isTargeted: true } } : value;
};

/** The content of a message's activity. Mentions people if others read there, too. */
function contentOf(message: Message, place: Place): Partial<Activity> {
  const { card, summary = '', text } = message;
  const type = ActivityTypes.Message;
  const entities = mentionsIn(message, place);
  const names = entities.map((each) => each.text).join(' ');
  if (!card)
    return { type, textFormat: 'markdown', text, ...(names && { text: `${names}  \n${text}`, entities }) };
  const isShown = names !== '' && place.reference.channelId === 'msteams';
  // Mentions stand in the card, as Teams documents for Adaptive Cards. Text next to a card would be a second message.
  const head = { type: 'TextBlock', text: names, wrap: true };
  const body = [head, ...((card.body ?? []) as readonly unknown[])];
  const shown = isShown ? { ...card, body, msteams: { entities } } : card;
  return { type, attachments: [CardFactory.adaptiveCard(shown)], summary };
}

/** The mentions of a message; none where nobody else reads it. Teams finds a mention by its text, so each has its own. */
function mentionsIn({ mentions = [] }: Message, place: Place) {
  if (isPersonal(place.reference) || isTargetedPlace(place)) return [];
  const people = mentions.filter(({ id }) => id !== '');
  const names = people.map(({ name }) => plainName(name));
  return names.map((name, at) => {
    const before = names.slice(0, at).filter((each) => each === name).length;
    const text = `<at>${name}${before > 0 ? ` ${before + 1}` : ''}</at>`;
    return { type: 'mention', text, mentioned: { id: people[at]?.id, name } };
  });
}

/** A letter with its marks (many scripts write vowels as marks), or one of the few other characters of names. */
const PARTS = /\p{L}\p{M}{0,3}|[\p{Nd} .'’-]/gu;

/** A name that can hold no markup and no second tag. "you" if nothing is left that can be read. */
function plainName(untrusted: string): string {
  const parts = untrusted.slice(0, 100).normalize('NFC').replace(/\s/g, ' ').match(PARTS) ?? [];
  const name = parts.join('').replace(/ +/g, ' ').trim();
  return /[\p{L}\p{Nd}]/u.test(name) ? name : 'you';
}
