import { createChooser, type Sent } from '../../dialogs/choose.ts';
import type { Dialog, Turn } from '../../dialogs/dialog.ts';
import type { Message } from '../../dialogs/format/message.ts';
import type { Unseen } from '../../dialogs/lookup/question.ts';
import { expectWellFormed } from './cards.ts';

type Changes = Partial<Omit<Turn, 'text' | 'addresses' | 'reader' | 'say' | 'sayOnce' | 'replace'>> & {
  quoted?: string;
  unseen?: readonly Unseen[];
  isOverheard?: boolean;
};

/** Sends one message through the choice of dialogs, as the bot does. Returns the texts of the answers; checks every card. */
export async function talk(...question: Parameters<typeof messagesTo>) {
  return (await messagesTo(...question)).map(({ text }) => ({ kind: 'said', text }));
}

/** Sends one message and returns its only answer, whole. @throws if there is not exactly one answer */
export async function answerTo(...question: Parameters<typeof messagesTo>): Promise<Message> {
  const [only, ...others] = await messagesTo(...question);
  if (only === undefined || others.length > 0) throw new Error(`${others.length} messages beside the first`);
  return only;
}

async function messagesTo(dialogs: readonly Dialog[], text: string, changes: Changes = {}) {
  const messages: Message[] = [];
  const sent = { ...SENT, text, ...changes };
  const note = (message: Message | string) => {
    const whole = typeof message === 'string' ? { text: message } : message;
    expectWellFormed(whole);
    messages.push(whole);
  };
  const { dialog, ...chosen } = createChooser(dialogs)(sent);
  const { now = Date.now }: Dialog & { now?: () => number } = dialog; // A staged one has a clock.
  await dialog.answer({
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
    say: async (message) => note(message),
    async sayOnce(message) {
      note(message);
      return { id: 'message-2' };
    },
    async replace(_, message) {
      note(message);
      return true;
    },
  });
  return messages;
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
