import type { IpAddress } from './ip-address.ts';
import { type MacAddress, toMacAddress } from './mac-address.ts';

/** A word that is nearly an address. `pairs`: their number, if it is not six. */
export type AddressFault = { word: string; pairs?: number };

/** Latin, Greek and Cyrillic letters that look like a hexadecimal digit. */
const LOOK_ALIKES = { 0: 'OoОоΟο', 1: 'lIi|ІіӀΙι', 3: 'Зз', 6: 'б', A: 'АаΑα', B: 'ВвΒ', C: 'Сс', E: 'ЕеΕ' };
const DIGIT_OF = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([digit, all]) => [...all].map((each) => [each, digit])),
);
const LOOK_ALIKE = new RegExp(`[${[...DIGIT_OF.keys()].join('')}]`, 'g');

/** Writes digits for letters that look like them, one for one. */
export const asDigits = (text: string) => text.replace(LOOK_ALIKE, (each) => DIGIT_OF.get(each) ?? each);

/** Hexadecimal digits in any groups, with any separators and a space beside them. */
const GROUPS = /(?<![\p{L}\p{N}:._-])[\da-f]+(?:(?: ?[:._-] ?|[;,/])[\da-f]+)*(?![\p{L}\p{N}]|::)/giu;
/** A space between two digits. */
const GAP = /(?<=[\da-f]) (?=[\da-f])/gi;

/**
 * Returns likely corrections in a text without its addresses: letters for digits, mixed separators, underscores, spaces
 * beside separators, and zeros that a spreadsheet dropped. The bot offers them, and never looks them up unasked.
 * @param isAsked whether the text stands behind a command, or is one word; then spaces can separate groups too
 */
export function guessMacAddresses(rest: string, isAsked: boolean): MacAddress[] {
  const text = asDigits(rest);
  const texts = isAsked && GAP.test(text) ? [text, text.replace(GAP, '-')] : [text];
  const guesses = texts.flatMap((each) =>
    [...each.matchAll(GROUPS)].flatMap(({ 0: written, index }) => {
      const typed = rest.slice(index, index + written.length);
      const isLong = isAsked && typed === written && hasLostZeros(written, rest);
      return isLong ? written.padStart(12, '0') : completeDigits(written, typed, isAsked);
    }),
  );
  return guesses.map(toMacAddress);
}

function hasLostZeros(written: string, rest: string): boolean {
  const isFew = rest.length < 60 && rest.trim().split(/\s+/).length < 4;
  return /^[1-9a-f][\da-f]{8,10}$/i.test(written) && (isFew || /[a-f]/i.test(written));
}

/** @param typed the same with the letters that were typed for digits */
function completeDigits(written: string, typed: string, isAsked: boolean): string[] {
  if (written.length > 40 || !/[\d:._-]/.test(typed)) return []; // Else it is words.
  const groups = written.split(/[^\da-f]+/i);
  const digits = groups.join('');
  const isHex = /[a-f]/i.test(digits);
  const isClear = isHex || /[:_-]/.test(written) || /\p{L}/u.test(typed);
  const isPairs = groups.length === 6 && groups.every(({ length }) => length <= 2);
  if (isPairs && isClear && (digits.length === 12 || !/[;,/]/.test(written)))
    return [groups.map((each) => each.padStart(2, '0')).join('')];
  return digits.length === 12 && isClear && (isAsked || isHex) ? [digits] : [];
}

/** The last pairs of an address, or the last number of one: `:08`, `.108`. */
const TAIL = /(?<=^|[\s,;(])(?:(?::[\da-f]{2}){1,5}|\.\d{1,3})(?=[\s,;).?!]|$)/gi;

/** Finds last parts of addresses by the mark before them: "00:1B:54:00:00:07 and :08". */
export const findTails = (text: string): string[] => text.match(TAIL) ?? [];

/** Returns the address with other last pairs (`08`, `:08`), or another last number (`108`, `.108`); none: they do not fit. */
export function completeTail(address: string, tail: string): Array<MacAddress | IpAddress> {
  const digits = tail.toUpperCase().replaceAll('-', ':').replace(/^[:.]/, '');
  if (/^\d+(?:\.\d+){3}$/.test(address))
    return /^\.?\d/.test(tail) && Number(digits) < 256
      ? [address.replace(/\d+$/, `${Number(digits)}`) as IpAddress]
      : [];
  const pairs = digits.padStart(2, '0');
  const isWhole =
    address.length === 17 && !tail.startsWith('.') && /^[\dA-F]{2}(?::[\dA-F]{2}){0,4}$/.test(pairs);
  return isWhole ? [(address.slice(0, -pairs.length) + pairs) as MacAddress] : [];
}

const SPACED = /(?<!\S)[\da-f]{2}(?: [\da-f]{2}){2,9}(?!\S)/gi;

/** Hexadecimal digits alone, in number unlike an address. */
const WRONG_LENGTH = /^(?:(?=.*\d)(?=.*[a-f])[\da-f]{6,}|\d{10,})$/i;

/** Finds the words of a text without its addresses that are nearly a MAC address. Times, dates and versions are none. */
export function findFaults(rest: string): AddressFault[] {
  const words = rest.replace(SPACED, (run) => run.replaceAll(' ', ':')).split(/[\s,;]+/);
  return words.flatMap((each): AddressFault[] => {
    const word = each.length > 60 ? '' : each.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
    const pairs = word.split(/[:-]/).length;
    if (/^[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2})+$/i.test(word) && pairs !== 6 && pairs < 8)
      return pairs > 3 || /[a-f]/i.test(word) ? [{ word, pairs }] : [];
    const bare = word.replace(/[:.-]/g, '');
    const isHex = bare.replace(/[^\da-f]/gi, '').length >= 8 && /[\d:.-]/.test(word);
    const isAlmost = isHex && /^[\p{L}\p{N}]{12}$/u.test(bare);
    return isAlmost || WRONG_LENGTH.test(bare) ? [{ word }] : [];
  });
}
