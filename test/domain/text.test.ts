import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstPart, SEARCHED, splitText, storable } from '../../src/domain/text.ts';
import { timeOf } from '../time-of.ts';

/** Texts of several alphabets, full of line ends and two-unit characters. */
const text = fc.string({ unit: fc.constantFrom('a', '_', ' ', '\n', '\r', 'é', '🌱'), maxLength: 200 });
const limit = fc.integer({ min: 2, max: 40 });

it('pieces of a text fit, change only line ends, and break no pair', () =>
  fc.assert(
    fc.property(text, limit, (whole, most) => {
      const pieces = splitText(whole, most);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(most);
      expect(pieces.join('').replaceAll('\n', '')).toBe(whole.replaceAll('\n', ''));
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }),
  ));

it.each([
  ['', 5, ['']],
  ['x'.repeat(25), 10, ['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]],
  [`ab\n${'x'.repeat(12)}\ncd`, 10, ['ab', 'x'.repeat(10), 'xx\ncd']],
  ['ab\ncd', 5, ['ab\ncd']],
  ['ab\ncd\nef', 5, ['ab\ncd', 'ef']],
  ['abcde\nf', 5, ['abcde', 'f']],
  ['a\nbcde', 5, ['a', 'bcde']],
  ['\naaaa', 4, ['aaaa']],
  ['aaaa\n\naaaa', 4, ['aaaa', 'aaaa']],
  ['abcd🌱', 5, ['abcd', '🌱']],
  ['a\r\nb', 3, ['a\r', 'b']],
])('pieces of %j at %i are %j', (whole, most, pieces) => expect(splitText(whole, most)).toEqual(pieces));

it('pieces of a text of a million lines come in linear time', () => {
  const whole = 'a_b\n'.repeat(1_000_000);
  expect(splitText(whole, 10_000).join('\n')).toBe(whole);
  expect(splitText('a'.repeat(200_000), 2)).toHaveLength(100_000);
  expect(timeOf(() => splitText(whole, 10_000))).toBeLessThan(2000);
});

it.each([0, 1, SEARCHED])('the first part of a text is the text itself, up to %i units', (length) =>
  expect(firstPart('x'.repeat(length))).toEqual({ text: 'x'.repeat(length), isCut: false }),
);

it.each([
  ['ab ', ''],
  ['{"port":1},', '"'],
])('the first part ends before the address that is cut behind "%s"', (piece, quote) => {
  const filler = piece.repeat((SEARCHED - 4) / piece.length) + quote;
  expect(firstPart(`${filler}00:1B:54:00:00:07${quote} ${filler}`)).toEqual({ text: filler, isCut: true });
});

it('the first part of a text has no half of a character', () =>
  expect(firstPart(`x${'😀'.repeat(SEARCHED)}`).text.isWellFormed()).toBe(true));

it.each([
  ['a\0b', 'a\uFFFDb'],
  ['\uD83D alone', '\uFFFD alone'],
  ['\\u0000 is plain text', '\\u0000 is plain text'],
])('a database keeps %j as %j', (text, kept) => expect(storable(text)).toBe(kept));
