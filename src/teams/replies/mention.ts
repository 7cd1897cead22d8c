import type { Activity, Mention } from 'botbuilder';
import { isPersonal } from './place.ts';
import { isTargeted } from './targeted.ts';

/** What an answer needs of its question to mention who asked. */
export type Question = Pick<Activity, 'from' | 'recipient' | 'conversation' | 'channelId'>;

/** Who asked, as a mention; undefined where nobody else reads the answer, and if the question does not say who asked. */
export function mentionOfAsker(question: Question): Mention | undefined {
  const { id, name }: { id?: unknown; name?: unknown } = { ...question.from };
  if (typeof id !== 'string' || id === '' || isPersonal(question) || isTargeted(question)) return undefined;
  const plain = plainName(typeof name === 'string' ? name : '');
  return {
    type: 'mention',
    text: `<at>${plain}</at>`,
    mentioned: { id, name: plain },
  };
}

/** A card with a mention above it, as Teams documents for Adaptive Cards. Text beside a card would be a second message. */
export function cardWithMention(
  card: Readonly<Record<string, unknown>>,
  mention: Mention,
): Record<string, unknown> {
  const { body = [] } = card as { body?: readonly unknown[] };
  return {
    ...card,
    body: [{ type: 'TextBlock', text: mention.text, wrap: true }, ...body],
    msteams: { entities: [mention] },
  };
}

const MOST_CHARACTERS = 100;

/** A letter with its marks (many scripts write vowels as marks), or one of the few other characters of names. */
const PARTS = /\p{L}\p{M}{0,3}|[\p{Nd} .'’-]/gu;

/** A name that can hold no markup and no second tag. "you" if nothing is left that can be read. */
function plainName(foreign: string): string {
  const parts = foreign.slice(0, MOST_CHARACTERS).normalize('NFC').replace(/\s/g, ' ').match(PARTS) ?? [];
  const name = parts.join('').replace(/ +/g, ' ').trim();
  return /[\p{L}\p{Nd}]/u.test(name) ? name : 'you';
}
