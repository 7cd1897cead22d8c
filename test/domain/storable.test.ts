import { describe, expect, it } from 'vitest';
import { storable } from '../../src/domain/text.ts';

describe('storable', () => {
  it.each([
    ['a\0b', 'a\uFFFDb'],
    ['\uD83D alone', '\uFFFD alone'],
    ['🌱 stays', '🌱 stays'],
    ['\\u0000 is plain text', '\\u0000 is plain text'],
  ])('makes %j to %j at any depth', (text, kept) => {
    expect(storable({ place: { names: [text] }, count: 1 })).toEqual({ place: { names: [kept] }, count: 1 });
  });
});
