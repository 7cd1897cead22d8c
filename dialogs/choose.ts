import { findMacAddresses } from '../src/mac-address.ts';
import type { Dialog } from './dialog.ts';
import { unknown } from './unknown.ts';

/**
 * The dialog that a message asks for, and the text that is left for it. A message's first word chooses, in any case;
 * failing that, a MAC address anywhere in it means `lookup`.
 */
export function chooseDialog(dialogs: readonly Dialog[], message: string): { dialog: Dialog; text: string } {
  const [, word = '', rest = ''] = /^\s*\/?(\p{L}*)(?![\p{L}\p{N}])[:,]?\s*(.*)$/su.exec(message) ?? [];
  const name = word.toLowerCase();
  const named = dialogs.find((dialog) => dialog.name === name || dialog.aliases?.includes(name));
  if (named) return { dialog: named, text: rest };
  const lookup = dialogs.find((dialog) => dialog.name === 'lookup');
  if (lookup && findMacAddresses(message).length > 0) return { dialog: lookup, text: message };
  return { dialog: unknown(dialogs), text: message };
}
