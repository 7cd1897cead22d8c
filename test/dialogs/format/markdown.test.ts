import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code, shorten } from '../../../dialogs/format/line.ts';

describe('code', () => {
  it.each([
    ['plain text', 'Corp_Wired_Access', '`Corp_Wired_Access`'],
    ['backticks', 'a`b``c', '`aˋbˋˋc`'],
    ['line ends and controls', 'a\nb\u0000', '`a\\u{a}b\\u{0}`'],
    ['direction marks and invisible characters', 'a\u202eb\u200b', '`a\\u{202e}b\\u{200b}`'],
    ['nothing', '', '` `'],
  ])('shows %s', (_, foreign, shown) => {
    expect(code(foreign)).toBe(shown);
  });

  it('is always one code span on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (foreign) => {
        expect(code(foreign)).toMatch(/^`[^`\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+`$/u);
      }),
    );
  });
});

describe('shorten', () => {
  it.each([
    ['a short text', 'x'.repeat(200), 'x'.repeat(200)],
    ['a long text', 'x'.repeat(201), `${'x'.repeat(200)}...`],
    ['invisible characters, as long as they are shown', '\u200b'.repeat(26), `${'\\u{200b}'.repeat(25)}...`],
    ['no half of a character', `${'x'.repeat(199)}😀😀`, `${'x'.repeat(199)}...`],
  ])('keeps 200 units: %s', (_, foreign, shown) => {
    expect(shorten(foreign)).toBe(shown);
  });
});
