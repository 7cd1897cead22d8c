import { chooseDialog } from '../../dialogs/choose.ts';
import type { Dialog, Turn } from '../../dialogs/dialog.ts';

/** What a dialog did, in order: said a text, showed a card, put a text in the place of a message. */
export type Deed =
  | { kind: 'said'; text: string }
  | { kind: 'showed'; card: { actions: Array<{ data: Record<string, unknown> }> }; summary: string }
  | { kind: 'replaced'; id: string; text: string };

/** Sends one message through the choice of dialogs, as the bot does, and tells what came of it. */
export async function talk(
  dialogs: readonly Dialog[],
  text: string,
  changes: Partial<Pick<Turn, 'person' | 'isAdmin' | 'isPersonal' | 'submission'>> & {
    canReplace?: boolean;
  } = {},
): Promise<Deed[]> {
  const deeds: Deed[] = [];
  const { canReplace = true, ...rest } = changes;
  const message = { text, person: 'alex', isAdmin: true, isPersonal: true, submission: undefined, ...rest };
  const chosen = chooseDialog(dialogs, message);
  await chosen.dialog.answer({
    ...message,
    text: chosen.text,
    key: 'message-1',
    place: { reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'chat' } } },
    arrivedAt: Date.now(),
    formatTime: (ms) => `<${ms / 1000} s>`,
    async say(markdown) {
      deeds.push({ kind: 'said', text: markdown });
    },
    async show(card, summary) {
      deeds.push({ kind: 'showed', card: card as Extract<Deed, { kind: 'showed' }>['card'], summary });
    },
    async replace(id, markdown) {
      if (canReplace) deeds.push({ kind: 'replaced', id, text: markdown });
      return canReplace;
    },
  });
  return deeds;
}
