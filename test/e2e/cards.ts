import { randomUUID } from 'node:crypto';
import type { Reply } from '../../src/sandbox/chat.ts';

/** An Adaptive Card or one of its elements. */
export type Element = {
  type: string;
  id?: string;
  text?: string;
  title?: string;
  isVisible?: boolean;
  data?: Record<string, unknown>;
  body?: Element[];
  items?: Element[];
  inlines?: Element[];
  actions?: Element[];
  selectAction?: Element;
};

/** The card of a message. Throws unless there is exactly one. */
export function cardOf({ activity }: Reply): Element {
  const attachments = activity.attachments as Array<{ contentType: string; content: Element }> | undefined;
  const [card, ...others] = attachments ?? [];
  if (card?.contentType !== 'application/vnd.microsoft.card.adaptive' || others.length > 0)
    throw new Error(`no message with one card: ${JSON.stringify(activity)}`);
  return card.content;
}

/** The text of a card before any button is pressed, one line for each text block. */
export function linesOf(element: Element): string[] {
  if (element.isVisible === false) return [];
  if (element.type === 'RichTextBlock') return [(element.inlines ?? []).map(({ text }) => text).join('')];
  if (element.text !== undefined) return [element.text];
  return [...(element.body ?? []), ...(element.items ?? [])].flatMap(linesOf);
}

/** A card's buttons, in order. */
export function buttonsOf(element: Element): Element[] {
  const { selectAction, body = [], items = [], actions = [] } = element;
  return [...(selectAction ? [selectAction] : []), ...[...body, ...items].flatMap(buttonsOf), ...actions];
}

/** The changes that turn a message into a button's submission, as the chat service sends it. */
export function pressing(button: Element | undefined, cardId: string): Record<string, unknown> {
  if (button?.type !== 'Action.Submit') throw new Error(`not a submit button: ${JSON.stringify(button)}`);
  return { id: randomUUID(), text: undefined, value: button.data, replyToId: cardId };
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
