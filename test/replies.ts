import type { Message } from '../dialogs/render/message.ts';
import { type Reply, textOf } from '../src/sandbox/chat.ts';
import { buttonsOf, expectWellFormedCard, wordsOf } from './dialogs/cards.ts';

type Card = NonNullable<Message['card']>;

function cardOf({ activity }: Reply): Card {
  const attachments = activity.attachments as Array<{ contentType: string; content: Card }> | undefined;
  const [card, ...others] = attachments ?? [];
  if (card?.contentType !== 'application/vnd.microsoft.card.adaptive' || others.length > 0)
    throw new Error(`no message with one card: ${JSON.stringify(activity)}`);
  return card.content;
}

export const linesOf = (reply: Reply) => wordsOf(cardOf(reply));

export function buttonOf(reply: Reply, title: string) {
  return buttonsOf(reply).find((button) => button.title === title);
}

/** The changes that turn a message into the press of a button, as the chat service sends it. */
export function pressing(data: object, card: Pick<Reply, 'id' | 'activity'>): Record<string, unknown> {
  return { text: undefined, value: data, replyToId: card.id, conversation: card.activity.conversation };
}

/** Throws unless a message has a text or a summary, and its card, if any, is valid. */
export function expectWellFormedReply(reply: Reply): void {
  const { text = '', summary = text, attachments = [] } = reply.activity;
  if (String(summary).trim() === '') throw new Error(`a message without words: ${JSON.stringify(reply)}`);
  if ((attachments as unknown[]).length === 0) return;
  const { msteams: _, ...card } = cardOf(reply) as Card & { msteams?: unknown };
  expectWellFormedCard(card);
}

/** Each message or edit with its method, in order of arrival. */
export const transcriptOf = (all: readonly Reply[]) => all.map((each) => `${each.method} ${textOf(each)}`);

/** Of a chat service that shows no cards. */
export const TEXT = { channelId: 'sms' };

/** A message in a channel's thread; mentions the bot unless `isMentioned` is false. */
export function inThread(thread: string, isMentioned = true): Record<string, unknown> {
  return {
    conversation: { id: thread, conversationType: 'channel', isGroup: true, tenantId: 'sandbox-tenant' },
    entities: isMentioned ? [{ type: 'mention', text: '<at>NAC lookup</at>', mentioned: { id: 'bot' } }] : [],
  };
}

/** The one message of these. Throws if there are none or several. */
export function only(replies: readonly Reply[]): Reply {
  const [first, ...others] = replies;
  if (first === undefined || others.length > 0) throw new Error(`${replies.length} replies`);
  return first;
}
