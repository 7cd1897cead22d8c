import { findMacAddresses } from '../src/mac-address.ts';
import type { Dialog, Turn } from './dialog.ts';
import { unknown } from './unknown.ts';

/** What a person sent, before a dialog has been chosen for it. */
export type Message = Pick<Turn, 'text' | 'person' | 'isAdmin' | 'isPersonal' | 'submission'>;

/**
 * The dialog that a message asks for, and the text that is left for it. A card's button names its dialog. Of typed
 * messages, a MAC address anywhere in one means `lookup` (but behind `connect` it may be a password); failing that, the
 * first word chooses, in any case; and failing that, the dialog that waits for something from this person.
 */
export function chooseDialog(dialogs: readonly Dialog[], message: Message): { dialog: Dialog; text: string } {
  const { text, submission } = message;
  const byName = (name: unknown) =>
    dialogs.find((each) => each.name === name || each.aliases?.includes(String(name)));

  if (submission) return { dialog: byName(submission.data.dialog) ?? unknown(dialogs), text };
  const [, word = '', rest = ''] = /^\s*\/?(\p{L}*)(?![\p{L}\p{N}])[:,]?\s*(.*)$/su.exec(text) ?? [];
  const named = byName(word.toLowerCase());
  const lookup = findMacAddresses(text).length > 0 ? byName('lookup') : undefined;
  if (named && (!lookup || named === lookup || named.name === 'connect'))
    return { dialog: named, text: rest };
  return { dialog: lookup ?? dialogs.find((each) => each.claims?.(message)) ?? unknown(dialogs), text };
}
