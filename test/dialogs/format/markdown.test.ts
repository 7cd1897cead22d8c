import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { code } from '../../../dialogs/format/markdown.ts';

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
