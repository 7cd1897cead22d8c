import type { Dialog } from '../../dialogs/dialog.ts';
import type { Message } from '../../dialogs/format/message.ts';
import { type Deed, talk } from './talk.ts';

/** A button or a tappable part of a card, and what it sends. */
export type Button = { title: string; data: Record<string, unknown> };

/** Everything that can be pressed on a message's card, from top to bottom. */
export function buttonsOf({ card }: Message): Button[] {
  return submitsIn(card);
}

/** Presses a button of a message. Returns what the dialog did. */
export function press(
  dialogs: readonly Dialog[],
  message: Message,
  title: string,
  changes: Parameters<typeof talk>[2] = {},
): Promise<Deed[]> {
  const button = buttonsOf(message).find((each) => each.title === title);
  if (button === undefined) throw new Error(`there is no button "${title}"`);
  return talk(dialogs, '', { ...changes, submission: { data: button.data, cardId: 'card-1' } });
}

function submitsIn(node: unknown): Button[] {
  if (Array.isArray(node)) return node.flatMap(submitsIn);
  if (typeof node !== 'object' || node === null) return [];
  const own = 'type' in node && node.type === 'Action.Submit' ? [node as unknown as Button] : [];
  return [...own.map(({ title, data }) => ({ title, data })), ...Object.values(node).flatMap(submitsIn)];
}
