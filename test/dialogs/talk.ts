import { createChooser } from '../../dialogs/choose.ts';
import type { Dialog, Turn } from '../../dialogs/dialog.ts';
import type { Message } from '../../dialogs/format/message.ts';
import { expectWellFormed } from './well-formed.ts';

/** What a dialog did, in order: said a text, showed a form, put a text in the place of a message. */
export type Deed =
  | Said
  | { kind: 'showed'; card: Form; summary: string }
  | { kind: 'replaced'; id: string; text: string; buttons?: string[] };

/** `said once`: what is said without being kept where the chat service does not take it, so that it can be replaced. */
type Said = { kind: 'said' | 'said once'; text: string; buttons?: string[] };

type Form = { body: unknown[]; actions: Array<{ title: string; data: Record<string, unknown> }> };

type Changes = Partial<
  Pick<Turn, 'person' | 'isAdmin' | 'isPersonal' | 'submission' | 'place' | 'arrivedAt' | 'key'>
> & {
  quoted?: string;
  /** Whether the chat service lets a message be replaced. */
  canReplace?: boolean;
  /** Whether the chat service takes what is said once. */
  takesOnce?: boolean;
  /** When the chat service takes what is said; at once, if there is nothing to wait for. */
  taking?: Promise<unknown> | undefined;
};

/** A turn under way. `deeds` and `messages` grow while it goes on; both hold the same messages in the same order. */
export type Conversation = { deeds: Deed[]; messages: Message[]; ended: Promise<void> };

/**
 * Sends one message through the choice of dialogs, as the bot does, and tells what came of it. A message that can be read
 * without its card counts as said, with the titles of the buttons under its card. Every card is checked on the way.
 */
export async function talk(dialogs: readonly Dialog[], text: string, changes: Changes = {}): Promise<Deed[]> {
  const { deeds, ended } = converse(dialogs, text, changes);
  await ended;
  return deeds;
}

/** The same, for one message that is answered by one: that one, whole. */
export async function answerTo(
  dialogs: readonly Dialog[],
  text: string,
  changes: Changes = {},
): Promise<Message> {
  const { messages, ended } = converse(dialogs, text, changes);
  await ended;
  const [only, ...others] = messages;
  if (only === undefined || others.length > 0) throw new Error(`${messages.length} messages instead of one`);
  return only;
}

/** The same, for what happens while the turn goes on. */
export function converse(
  dialogs: readonly Dialog[],
  text: string,
  { canReplace = true, takesOnce = true, taking, ...changes }: Changes = {},
): Conversation {
  const deeds: Deed[] = [];
  const messages: Message[] = [];
  const sent = {
    text,
    quoted: '',
    person: 'alex',
    isAdmin: true,
    isPersonal: true,
    submission: undefined,
    ...changes,
  };
  const note = (deed: Deed, message: Message | string) => {
    const whole = typeof message === 'string' ? { text: message } : message;
    expectWellFormed(whole);
    deeds.push(deed);
    messages.push(whole);
  };
  const { dialog, ...chosen } = createChooser(dialogs)(sent);
  const ended = dialog.answer({
    key: 'message-1',
    place: PLACE,
    arrivedAt: Date.now(),
    ...sent,
    ...chosen,
    format: {
      time: (ms) => `<${ms / 1000} s>`,
      age: (ms) => `<${ms / 1000} s> ago`,
      number: String,
    },
    async say(message) {
      await taking;
      note(deedOf(message), message);
    },
    async sayOnce(message) {
      note({ ...readable(message), kind: 'said once' }, message);
      return takesOnce ? 'message-2' : undefined;
    },
    async replace(id, message) {
      if (canReplace) note({ ...readable(message), kind: 'replaced', id }, message);
      return canReplace;
    },
  });
  return { deeds, messages, ended };
}

/** Where messages stand that say nothing else of it. */
export const PLACE: Turn['place'] = {
  reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'chat' } },
};

/** A message as a deed of its own. */
export function deedOf(message: Message | string): Deed {
  if (typeof message !== 'string' && message.card && message.summary === FORM)
    return { kind: 'showed', card: message.card as unknown as Form, summary: message.summary };
  return readable(message);
}

/** The summary of the one card that says nothing without its inputs. */
const FORM = 'Connect with your own account';

/** A message as it reads without its card. */
export function readable(message: Message | string): Said {
  if (typeof message === 'string') return { kind: 'said', text: message };
  const actions = (message.card?.actions ?? []) as Array<{ title: string }>;
  const buttons = actions.map(({ title }) => title);
  return { kind: 'said', text: message.text, ...(buttons.length > 0 && { buttons }) };
}
