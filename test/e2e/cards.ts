import type { Message } from '../../dialogs/format/message.ts';
import type { Reply } from '../../src/sandbox/chat.ts';
import { buttonsOf as buttonsOfMessage, wordsOf } from '../dialogs/cards.ts';

type Card = NonNullable<Message['card']>;

/** The card of a message. Throws unless there is exactly one. */
function cardOf({ activity }: Reply): Card {
  const attachments = activity.attachments as Array<{ contentType: string; content: Card }> | undefined;
  const [card, ...others] = attachments ?? [];
  if (card?.contentType !== 'application/vnd.microsoft.card.adaptive' || others.length > 0)
    throw new Error(`no message with one card: ${JSON.stringify(activity)}`);
  return card.content;
}

export const linesOf = (reply: Reply) => wordsOf(cardOf(reply));

export const buttonsOf = (reply: Reply) => buttonsOfMessage({ text: '', card: cardOf(reply) });

/** The changes that turn a message into the press of a button, as the chat service sends it. */
export function pressing(button: { data: object } | undefined, cardId: string): Record<string, unknown> {
  if (button === undefined) throw new Error('there is no such button');
  return { text: undefined, value: button.data, replyToId: cardId };
}

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
