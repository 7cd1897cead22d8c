import { describe, expect, it } from 'vitest';
import { firstPart, SEARCHED } from '../../src/domain/text.ts';

describe('the first part of a text', () => {
  it.each([0, 1, SEARCHED])('is the text itself, up to %i units', (length) => {
    expect(firstPart('x'.repeat(length))).toEqual({ text: 'x'.repeat(length), isCut: false });
  });

  it('ends before the word that is cut', () => {
    const words = 'ab '.repeat(SEARCHED);
    const { text, isCut } = firstPart(`${words.slice(0, SEARCHED - 5)}00:1B:54:00:00:07 ${words}`);
    expect(isCut).toBe(true);
    expect(text).toBe(words.slice(0, SEARCHED - 5));
  });

  it('ends before an address that is cut where no blank stands', () => {
    const filler = '{"port":1},'.repeat(SEARCHED).slice(0, SEARCHED - 16);
    const { text } = firstPart(`${filler}"00:1B:54:00:00:07"${filler}`);
    expect(text).toBe(`${filler}"`);
  });

  it('has no half of a character', () => {
    expect(firstPart(`x${'😀'.repeat(SEARCHED)}`).text.isWellFormed()).toBe(true);
  });
});
