import { distance } from 'fastest-levenshtein';
import type { Dialog } from './dialog.ts';
import { code, paragraphs } from './markdown.ts';

const EXAMPLE = code('lookup AA:BB:CC:DD:EE:FF');
const WORDS = {
  greeting: `Hello! Send me a MAC address and I ask the NAC about it: ${EXAMPLE}. For everything else I can do: ${code('help')}.`,
  nearest: (name: string) => `I don't know that command. Did you mean ${code(name)}?`,
  unknown: `I don't know that command, and I see no MAC address in it.`,
  example: `Try ${EXAMPLE}, or ${code('help')} for all I can do.`,
};

/** Answers what no dialog was asked for: with the nearest command where one is near, and always with a way on. */
export function unknown(dialogs: readonly Dialog[]): Dialog {
  return {
    name: '',
    summary: '',
    examples: [],
    details: [],
    async answer({ text, say }) {
      if (isGreeting(text)) return say(WORDS.greeting);
      const name = nearestCommand(dialogs, text);
      await say(paragraphs(name === undefined ? WORDS.unknown : WORDS.nearest(name), WORDS.example));
    },
  };
}

function isGreeting(text: string): boolean {
  return /^(|hi|hello|hey|hallo|good (morning|afternoon|evening))\W*$/i.test(text.trim());
}

/** At most two letters off, and no more than half of the command's. */
function nearestCommand(dialogs: readonly Dialog[], text: string): string | undefined {
  const word = /^\W*(\w+)/.exec(text)?.[1]?.slice(0, 32).toLowerCase();
  if (word === undefined) return undefined;
  const [nearest] = dialogs
    .map(({ name }) => ({ name, letters: distance(word, name) }))
    .filter(({ name, letters }) => letters <= 2 && letters * 2 <= name.length)
    .sort((one, other) => one.letters - other.letters);
  return nearest?.name;
}
