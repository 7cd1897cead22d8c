import { createChooser } from '../../dialogs/choose.ts';
import type { Dialog, Message, Turn } from '../../dialogs/dialog.ts';

/** What a dialog did, in order: said a text, showed a card, put a text in the place of a message. */
export type Deed =
  | { kind: 'said'; text: string; buttons?: string[] }
  | { kind: 'showed'; card: Card; summary: string }
  | { kind: 'replaced'; id: string; text: string };

type Card = { body: unknown[]; actions: Array<{ title: string; data: Record<string, unknown> }> };

type Changes = Partial<Pick<Turn, 'person' | 'isAdmin' | 'isPersonal' | 'submission' | 'place'>> & {
  quoted?: string;
  canReplace?: boolean;
};

/**
 * Sends one message through the choice of dialogs, as the bot does, and tells what came of it. A message that can be read
 * without its card counts as said, with the titles of the card's buttons.
 */
export async function talk(dialogs: readonly Dialog[], text: string, changes: Changes = {}): Promise<Deed[]> {
  const deeds: Deed[] = [];
  const { canReplace = true, ...rest } = changes;
  const sent = {
    text,
    quoted: '',
    person: 'alex',
    isAdmin: true,
    isPersonal: true,
    submission: undefined,
    ...rest,
  };
  const chosen = createChooser(dialogs)(sent);
  await chosen.dialog.answer({
    key: 'message-1',
    place: { reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'chat' } } },
    ...sent,
    text: chosen.text,
    arrivedAt: Date.now(),
    format: {
      time: (ms) => `<${ms / 1000} s>`,
      age: (ms) => `<${ms / 1000} s> ago`,
      number: String,
    },
    async say(message) {
      deeds.push(deedOf(message));
    },
    async sayOnce(message) {
      deeds.push(deedOf(message));
      return 'message-2';
    },
    async replace(id, message) {
      if (canReplace) deeds.push({ kind: 'replaced', id, text: asText(message) });
      return canReplace;
    },
  });
  return deeds;
}

function deedOf(message: Message | string): Deed {
  if (typeof message === 'string') return { kind: 'said', text: message };
  const card = message.card as Card | undefined;
  if (card && message.summary === 'Connect with your own account')
    return { kind: 'showed', card, summary: message.summary };
  const buttons = card?.actions?.map(({ title }) => title);
  return { kind: 'said', text: message.text, ...(buttons && { buttons }) };
}

function asText(message: Message | string): string {
  return typeof message === 'string' ? message : message.text;
}
