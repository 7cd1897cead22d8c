import {
  type Activity,
  ActivityTypes,
  CardFactory,
  type ConversationReference,
  TurnContext,
} from 'botbuilder';
import type { Logger } from 'pino';
import {
  askerOf,
  conversationOf,
  isTargetedPlace,
  MESSAGE_CHARACTERS,
  type Message,
  type Place,
} from '../../dialogs/render/message.ts';
import { parseJson, splitText } from '../domain/text.ts';
import { type HttpRequest, readRetryAfter, type ServiceGate, targetUnder, type Upstream } from '../http.ts';
import { isPersonal } from './activity.ts';
import type { AppTokens } from './authentication/app-tokens.ts';

/** The channel took an activity, and gave it an id if it gives any; or it did not. */
export type SendOutcome = { kind: 'sent'; id: string | undefined } | Undelivered;

/**
 * @property kind `gone`: refused for ever, because the conversation is gone, or the bot was thrown out of it
 * @property reason the channel's HTTP status, or why no answer came
 * @property retryAfterMs how long the channel asks to wait; 0 if it does not say
 */
export type Undelivered = { kind: 'gone' | 'refused'; reason: string | number; retryAfterMs: number };

type ConnectorOptions = {
  channel: Upstream;
  /** Where replies may go: what was allowed when a question came may no longer be when its answer is ready. */
  serviceGate: ServiceGate;
  /** Undefined: authentication is off, and replies carry no token. */
  tokens: AppTokens | undefined;
  /** Called with the outcome of each activity, as a metric's label. @param conversation without its thread */
  onOutcome(outcome: string, conversation: string): void;
  log: Logger;
};

/** The Bot Connector API, version 3. */
export function createConnector(options: ConnectorOptions) {
  return {
    /** Sends an activity. A new one answers the activity of its place, if there is one. */
    async send(place: Place, { id, body }: Piece): Promise<SendOutcome> {
      const { conversation, activityId } = place.reference;
      const target = id ?? activityId;
      const path = [conversation.id, 'activities', ...(target ? [`${target}`] : [])];
      const method = id === undefined ? 'POST' : 'PUT';
      const outcome = await request(options, place, path, { method, body });
      const isSent = outcome.kind === 'answered';
      options.onOutcome(isSent ? 'sent' : labelOf(outcome), conversationOf(place));
      return isSent ? { kind: 'sent', id: textIn(outcome.body.id) } : outcome;
    },
    /** The sender's tenant, as the chat service's record of the conversation's member has it; undefined if it has none. */
    async senderTenant(place: Place): Promise<string | undefined> {
      const { id } = askerOf(place);
      if (id === '') return undefined;
      const path = [conversationOf(place), 'members', id];
      const outcome = await request(options, place, path, { method: 'GET' });
      if (outcome.kind === 'answered') return textIn(outcome.body.tenantId);
      options.log.warn({ reason: outcome.reason }, "the chat service did not return a member's tenant");
      return undefined;
    },
  };
}

const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

async function request(
  { channel, serviceGate, tokens }: ConnectorOptions,
  place: Place,
  path: readonly string[],
  sent: Pick<HttpRequest, 'method' | 'body'>,
) {
  const ids = path.map(encodeURIComponent);
  const service = serviceGate(place.reference.serviceUrl);
  if (service === undefined || ids.includes('.') || ids.includes('..')) return undelivered(403);
  const token = await tokens?.get().catch(() => undefined); // Its fault is reported as a token's.
  if (tokens && !token) return undelivered('no token');
  const url = targetUnder(service, ['/v3/conversations', ...ids].join('/'));
  if (sent.body && isTargetedPlace(place)) url.search = 'isTargetedActivity=true';
  const outcome = await channel.call({
    ...sent,
    url,
    headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
  });
  if (outcome.kind !== 'answered') return undelivered(outcome.fault.kind);
  const { status, headers, text } = outcome;
  if (status === 401 && token) tokens?.forget(token);
  if (status < 200 || status >= 300) return undelivered(status, readRetryAfter(headers));
  const answer: Record<string, unknown> = Object(parseJson(text)); // Some channels answer nothing at all.
  return { kind: 'answered' as const, body: answer };
}

function undelivered(reason: string | number, retryAfterMs = 0): Undelivered {
  return { kind: reason === 403 || reason === 404 ? 'gone' : 'refused', reason, retryAfterMs };
}

function labelOf({ kind, reason }: Undelivered): string {
  if (kind === 'gone') return kind;
  if (reason === 401) return 'unauthorized';
  if (reason === 429) return 'throttled';
  if (reason === 'cut off' || reason === 'too large') return 'failed';
  if (typeof reason === 'string') return reason;
  return reason < 500 ? 'refused' : 'failed';
}

/** A message of one activity, whose JSON is `body`. @property id of the message that it edits; undefined: it is a new one */
export type Piece = { message: Message; id: string | undefined; body: string };

const CHANNELS_WITH_CARDS = ['msteams', 'webchat', 'directline', 'emulator'];
export const showsCards = (channelId: unknown) => CHANNELS_WITH_CARDS.includes(String(channelId));

/** Within 80 KB in UTF-16. A card's quotation marks are escaped on the way, and Teams takes 100 KB. */
const MAX_CARD_CHARACTERS = 40_000;

/** A message as this chat service can show it: the card, or its text in as many pieces as it takes. The first is an edit. */
export function piecesFor(message: Message, place: Place, editedId?: string): [Piece, ...Piece[]] {
  const { card, summary: _, ...words } = message;
  if (card && showsCards(place.reference.channelId)) {
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

const MAX_CHARACTERS = 100;
/** A letter with its marks (many scripts write vowels as marks), or one of the few other characters of names. */
const PARTS = /\p{L}\p{M}{0,3}|[\p{Nd} .'’-]/gu;

/** A name that can hold no markup and no second tag. "you" if nothing is left that can be read. */
function plainName(untrusted: string): string {
  const parts = untrusted.slice(0, MAX_CHARACTERS).normalize('NFC').replace(/\s/g, ' ').match(PARTS) ?? [];
  const name = parts.join('').replace(/ +/g, ' ').trim();
  return /[\p{L}\p{Nd}]/u.test(name) ? name : 'you';
}
