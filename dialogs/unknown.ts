import { distance } from 'fastest-levenshtein';
import type { Dialog } from './dialog.ts';
import { button } from './format/card.ts';
import { line } from './format/line.ts';
import { withButtons } from './format/message.ts';
import { EXAMPLE as ADDRESS, nearAddress } from './lookup/no-address.ts';

const EXAMPLE = `lookup ${ADDRESS}`;
const WORDS = {
  greeting: line`Hello! Send me a MAC address, and I ask the NAC about it: ${EXAMPLE}. Type ${'help'} for all I can do.`,
  nearest: (name: string) => line`I don't know that command. Did you mean ${name}?`,
  unknown: line`I don't know that command, and I see no MAC address in your message.`,
  example: line`Try ${EXAMPLE}, or ${'help'} for all I can do.`,
};

/** Answers a message that chose no dialog: suggests the nearest command if there is one, says what an address lacks, or names an example and help. */
export function unknown(dialogs: readonly Dialog[]): Dialog {
  return {
    name: '',
    summary: '',
    examples: [],
    details: [],
    async answer({ text, say }) {
      if (isGreeting(text)) return say(withButtons([WORDS.greeting], [button('help', 'help', '')]));
      const nearest = nearestCommand(dialogs, text);
      if (nearest === undefined) {
        const nothing = withButtons([WORDS.unknown, WORDS.example], [button('help', 'help', '')]);
        return say(nearAddress(text) ?? nothing);
      }
      const { name, rest } = nearest;
      const command = button(`${name} ${rest}`.trim(), name, rest);
      await say(withButtons([WORDS.nearest(name), WORDS.example], [command]));
    },
  };
}

function isGreeting(text: string): boolean {
  return /^(|hi|hello|hey|hallo|good (morning|afternoon|evening))\W*$/i.test(text.trim());
}

/**
 * Finds a command at most two letters off, and off by at most half of the command's letters. `rest` is the text after the
 * command if it is short and plain. After `connect` it is empty, because the text may be a password.
 */
function nearestCommand(
  dialogs: readonly Dialog[],
  text: string,
): { name: string; rest: string } | undefined {
  const [whole, word = ''] = /^\W*(\w+)/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const typed = word.slice(0, 32).toLowerCase();
  const rest = text.slice(whole.length).trim();
  const [nearest] = dialogs
    .map(({ name }) => ({ name, letters: distance(typed, name) }))
    .filter(({ name, letters }) => letters <= 2 && letters * 2 <= name.length)
    .sort((one, other) => one.letters - other.letters);
  if (nearest === undefined) return undefined;
  const isKept = nearest.name !== 'connect' && /^[\w .:-]{0,45}$/.test(rest);
  return { name: nearest.name, rest: isKept ? rest : '' };
}
