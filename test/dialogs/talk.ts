import { createChooser, type Sent } from '../../dialogs/choose.ts';
import type { Dialog, Turn } from '../../dialogs/dialog.ts';
import type { Message } from '../../dialogs/format/message.ts';
import type { Unseen } from '../../dialogs/lookup/question.ts';
import { expectWellFormed } from './cards.ts';

/** What a dialog did: it said a text, showed a form, or replaced a message with a text. */
export type Deed =
  | Said
  | { kind: 'showed'; card: Form; summary: string }
  | { kind: 'replaced'; id: string; text: string; buttons?: string[] };

/** `said once`: sent with `sayOnce`, which can be replaced and is not kept if the chat service does not take it. */
type Said = { kind: 'said' | 'said once'; text: string; buttons?: string[] };

type Form = { body: unknown[]; actions: Array<{ title: string; data: Record<string, unknown> }> };

type Changes = Partial<Omit<Turn, 'text' | 'addresses' | 'reader' | 'say' | 'sayOnce' | 'replace'>> & {
  quoted?: string;
  unseen?: readonly Unseen[];
  isOverheard?: boolean;
  canReplace?: boolean;
  takesOnce?: boolean;
  /** The chat service takes replies after this; undefined: at once. */
  taking?: Promise<unknown> | undefined;
};

/**
 * Sends one message through the choice of dialogs, as the bot does. Returns what the dialog did. A message that is readable
 * without its card counts as said, with the titles of its card's buttons. Checks every card.
 */
export async function talk(...question: Parameters<typeof converse>): Promise<Deed[]> {
  const { deeds, ended } = converse(...question);
  await ended;
  return deeds;
}

/** Sends one message and returns its only answer, whole. @throws if there is not exactly one answer */
export async function answerTo(...question: Parameters<typeof converse>): Promise<Message> {
  const { messages, ended } = converse(...question);
  await ended;
  const [only, ...others] = messages;
  if (only === undefined || others.length > 0) throw new Error(`${messages.length} messages instead of one`);
  return only;
}

/**
 * Like `talk`, but returns at once, to watch a running turn: `deeds` and `messages` grow until it ends, with the same
 * messages in the same order.
 */
export function converse(
  dialogs: readonly Dialog[],
  text: string,
  { canReplace = true, takesOnce = true, taking, ...changes }: Changes = {},
) {
  const deeds: Deed[] = [];
  const messages: Message[] = [];
  const sent = { ...SENT, text, ...changes };
  const note = (deed: Deed, message: Message | string) => {
    const whole = typeof message === 'string' ? { text: message } : message;
    expectWellFormed(whole);
    deeds.push(deed);
    messages.push(whole);
  };
  const { dialog, ...chosen } = createChooser(dialogs)(sent);
  const { now = Date.now }: Dialog & { now?: () => number } = dialog; // A staged one has a clock.
  const ended = dialog.answer({
    key: 'message-1',
    place: PLACE,
    arrivedAt: now(),
    ...sent,
    ...chosen,
    reader: {
      now,
      nacLink: undefined,
      downSince: () => undefined,
      time: (ms) => `<${ms / 1000} s>`,
      clock: (ms) => `<${ms / 1000} s>`,
      age: (ms) => `<${ms / 1000} s> ago`,
      timeLeft: (ms) => `<until ${ms / 1000} s>`,
      number: String,
    },
    async say(message) {
      await taking;
      note(deedOf(message), message);
    },
    async sayOnce(message) {
      await taking;
      const deed = deedOf(message);
      note(deed.kind === 'said' ? { ...deed, kind: 'said once' } : deed, message);
      return takesOnce ? { id: 'message-2' } : undefined;
    },
    async replace(id, message) {
      if (canReplace) note({ ...readable(message), kind: 'replaced', id }, message);
      return canReplace;
    },
  });
  return { deeds, messages, ended };
}

export const SENT: Sent = {
  text: '',
  quoted: '',
  unseen: [],
  person: 'alex',
  name: 'Alex',
  isAdmin: true,
  isPersonal: true,
  showsCards: true,
  submission: undefined,
};

export const PLACE: Turn['place'] = {
  reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'chat' } },
};

export function deedOf(message: Message | string): Deed {
  // The form is the only card that its text cannot replace.
  if (typeof message !== 'string' && message.card && message.summary === 'Connect with your own account')
    return { kind: 'showed', card: message.card as unknown as Form, summary: message.summary };
  return readable(message);
}

/** A message without its card. */
export function readable(message: Message | string): Said {
  if (typeof message === 'string') return { kind: 'said', text: message };
  const actions = (message.card?.actions ?? []) as Array<{ title: string }>;
  const buttons = actions.map(({ title }) => title);
  return { kind: 'said', text: message.text, ...(buttons.length > 0 && { buttons }) };
}
