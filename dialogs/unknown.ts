import { distance } from 'fastest-levenshtein';
import type { Dialog } from './dialog.ts';
import { button, withButtons } from './format/card.ts';
import { line } from './format/line.ts';

const EXAMPLE = 'lookup AA:BB:CC:DD:EE:FF';
const WORDS = {
  greeting: line`Hello! Send me a MAC address, and I ask the NAC about it: ${EXAMPLE}. Type ${'help'} for all I can do.`,
  nearest: (name: string) => line`I don't know that command. Did you mean ${name}?`,
  unknown: line`I don't know that command, and I see no MAC address in your message.`,
  example: line`Try ${EXAMPLE}, or ${'help'} for all I can do.`,
};

/** Answers what no dialog was asked for: with the nearest command where one is near, and always with a way on. */
export function unknown(dialogs: readonly Dialog[]): Dialog {
  return {
    name: '',
    summary: '',
    examples: [],
    details: [],
    async answer({ text, say }) {
      if (isGreeting(text)) return say(withButtons([WORDS.greeting], [button('help', 'help', '')]));
      const nearest = nearestCommand(dialogs, text);
      if (nearest === undefined)
        return say(withButtons([WORDS.unknown, WORDS.example], [button('help', 'help', '')]));
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
 * At most two letters off, and no more than half of the command's. `rest` is what stands behind it, if that is short; never
 * behind `connect`, where it may be a password.
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
  const isKept = nearest.name !== 'connect' && /^[\w .-]{0,32}$/.test(rest);
  return { name: nearest.name, rest: isKept ? rest : '' };
}
