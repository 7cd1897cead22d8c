import { describe, expect, it } from 'vitest';
import { distinct } from '../src/distinct.ts';

describe('distinct', () => {
  it.each([0, 1, 3, 32, 33, 500])('keeps each of %i strings once, where it came first', (count) => {
    const texts = Array.from({ length: count }, (_, index) => `text ${index}`);
    expect(distinct([...texts, ...texts.toReversed()])).toEqual(texts);
  });
});
