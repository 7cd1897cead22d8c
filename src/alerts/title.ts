import { type Field, firstIn } from './fields.ts';
import { toHeadline } from './forms.ts';
import * as terms from './terms.ts';

/**
 * Returns the best headline: a sentence before a slug, the alert's words before those of the things in it, and a name with its
 * state where all else fails. Undefined if there is no word.
 * @param stateWord what the alert says of its state
 */
export function readTitle(fields: readonly Field[], stateWord: string | undefined): string | undefined {
  const shown = fields.filter(({ isSecret, isLine }) => !isSecret && !isLine);
  const { own = [], things = [] } = Object.groupBy(shown, ({ part }) => (part.isThing ? 'things' : 'own'));
  const name = first(shown, terms.THING_NAMES, 1);
  const about = (words: string | undefined) => words && name && `${name}: ${words.replaceAll('_', ' ')}`;
  return (
    headlineIn(own) ??
    about(first(own, terms.REASONS, 2)) ??
    wordsIn(own) ??
    headlineIn(things) ??
    wordsIn(things) ??
    about(stateWord) ??
    first(shown, [...terms.HEADLINES, ...terms.DESCRIPTIONS, ...terms.REASONS], 0) ??
    first(shown, terms.KINDS, 1)?.replaceAll('_', ' ')
  );
}

const headlineIn = (shown: readonly Field[]) =>
  first(shown, terms.HEADLINES, 2) ?? first(shown, terms.DESCRIPTIONS, 3);

const wordsIn = (shown: readonly Field[]) => first(shown, terms.HEADLINES, 1) ?? first(shown, [/^/], 3);

/** The first text of at least so many words under the first of the names; with 0, any text that has a letter. */
function first(fields: readonly Field[], names: readonly RegExp[], least: number): string | undefined {
  return firstIn(fields, names, ({ value }) => {
    const text = toHeadline(value);
    const isEnough =
      least === 0 || (text !== undefined && countWords(text) >= least && !terms.EMPTY.test(text));
    return isEnough ? text : undefined;
  });
}

/** Counts the words of letters. Some scripts put no blanks between words. */
function countWords(text: string): number {
  if (/\p{Lo}{4}/u.test(text)) return 3;
  const words = text.split(' ').filter((word) => !/^[\da-f]+([:.-][\da-f]+)+$/i.test(word));
  return words.filter((word) => /\p{L}{2}/u.test(word)).length;
}
