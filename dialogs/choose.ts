import { findMacAddresses, guessMacAddresses, type MacAddress } from '../src/mac-address.ts';
import type { Dialog, Turn } from './dialog.ts';
import { unknown } from './unknown.ts';

/** What a person sent, before a dialog has been chosen for it. */
export type Sent = Pick<Turn, 'text' | 'person' | 'isAdmin' | 'isPersonal' | 'submission'> & {
  /** What the message quotes or forwards; empty where it does neither. */
  quoted: string;
};

/** A dialog, the text that is left for it, and the MAC addresses in that. */
export type Choice = { dialog: Dialog; text: string; addresses: readonly MacAddress[] };

/**
 * Chooses the dialog that a message asks for. A card's button names its dialog. Of typed messages, a MAC address anywhere
 * in one means `lookup` (but not behind a command that takes one: behind `connect` it may be a password); failing that, the
 * command in front chooses, in any case; failing that, the dialog that waits for something from this person; and failing
 * that, what looks like a mistyped address, or an address in what the message quotes, means `lookup` too. A command for
 * administrators answers everyone else with one sentence.
 */
export function createChooser(dialogs: readonly Dialog[]): (sent: Sent) => Choice {
  const choose = createUnguardedChooser(dialogs);
  return (sent) => {
    const chosen = choose(sent);
    const isRefused = chosen.dialog.forAdmins && !sent.isAdmin;
    return isRefused ? { ...chosen, dialog: { ...chosen.dialog, answer: refuse } } : chosen;
  };
}

function refuse({ say }: Turn): Promise<void> {
  return say(WORDS.admins);
}

function createUnguardedChooser(dialogs: readonly Dialog[]): (sent: Sent) => Choice {
  const commands = dialogs.flatMap((dialog) =>
    [dialog.name, ...(dialog.aliases ?? [])].map((name) => ({ dialog, pattern: patternOf(name) })),
  );
  const byName = (name: unknown) => dialogs.find((each) => each.name === name);

  function findCommand(text: string): Omit<Choice, 'addresses'> | undefined {
    for (const { dialog, pattern } of commands) {
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) return { dialog, text: text.slice(found.length) };
    }
    return undefined;
  }

  return (sent) => {
    const { text, quoted, submission } = sent;
    if (submission) {
      const { dialog, text: typed } = submission.data;
      return choice(byName(dialog) ?? unknown(dialogs), typeof typed === 'string' ? typed : text);
    }
    const named = findCommand(text);
    const lookup = byName('lookup');
    const addresses = findMacAddresses(text);
    if (lookup && !named?.dialog.takesAddresses && addresses.length > 0)
      return { dialog: lookup, text: named?.dialog === lookup ? named.text : text, addresses };
    if (named && named.dialog !== lookup) return choice(named.dialog, named.text);
    const claiming = dialogs.find((each) => each.claims?.(sent));
    if (claiming) return { dialog: claiming, text, addresses };
    if (lookup && guessMacAddresses(text).length > 0) return { dialog: lookup, text, addresses };
    const quotedAddresses = findMacAddresses(quoted);
    if (lookup && quotedAddresses.length > 0)
      return { dialog: lookup, text: quoted, addresses: quotedAddresses };
    return { dialog: unknown(dialogs), text, ...named, addresses };
  };
}

const WORDS = { admins: 'This command is for the administrators of the bot.' };

function choice(dialog: Dialog, text: string): Choice {
  return { dialog, text, addresses: findMacAddresses(text) };
}

/** A command in front of a message: its words, with a slash before or a colon behind where people put one. */
function patternOf(name: string): RegExp {
  const words = name.replace(' ', '[\\s-]+');
  return new RegExp(`^\\s*[/!]?${words}(?![\\p{L}\\p{N}_-])[:,]?\\s*`, 'iu');
}
