import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractTokens, tokensLike } from '../../src/domain/tokens.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { timeOf } from '../time-of.ts';

describe('extractTokens', () => {
  it.each([
    ['a token before an element', '<rule>Corp_Wired_Access</rule>', ['Corp_Wired_Access']],
    ['a token before a colon', ':!:Rule=Basic_Access:!:', ['Basic_Access']],
    [
      'dots and hyphens inside',
      '<a>Wired_802.1X</a><b>Blacklist_Access-Reject</b>',
      ['Wired_802.1X', 'Blacklist_Access-Reject'],
    ],
    [
      'letters and digits of any script',
      '<a>Größe_1</a><b>部門_二</b><c>٣_x:',
      ['Größe_1', '部門_二', '٣_x'],
    ],
    ['letters beyond the basic plane', '<a>𝔸𝔹_𝔸</a>', ['𝔸𝔹_𝔸']],
    ['each once, in order of first appearance', 'b_1:a_1:b_1:c_1<', ['b_1', 'a_1', 'c_1']],
    ['outer underscores', '<a>_x_</a>', ['_x_']],
    ['text that is no XML', 'x_1: y_2 : z_3<', ['x_1', 'z_3']],
    ['several underscores', 'a__b:', ['a__b']],
  ])('takes %s', (_, text, tokens) => {
    expect(extractTokens(text)).toEqual(tokens);
  });

  it.each([
    ['an element name', '<user_name>x</user_name>'],
    ['an element name with attributes', '<user_name a="b">x</user_name >'],
    ['a prefixed element name', '<my_ns:name>x</my_ns:name>'],
    ['a run without a letter or digit', '<a>_</a><b>__</b>_-.:'],
    ['a run before something else', 'a_b; c_d &lt; e_f> g_h'],
    ['a run without an underscore', '<a>CorpWired</a>x:'],
    ['a run at the very end', 'a_b'],
    ['an entity', '<a>a_b&amp;c</a>'],
    ['nothing', ''],
  ])('takes nothing from %s', (_, text) => {
    expect(extractTokens(text)).toEqual([]);
  });

  it('reads a whole session as a NAC writes it', () => {
    expect(extractTokens(sessionXml({ selected_azn_profiles: 'Guest_Only' }))).toEqual([
      'Guest_Only',
      'Basic_Authenticated_Access',
    ]);
  });

  it('agrees with the rule written as a regular expression, on any text', () => {
    const piece = fc.oneof(
      fc.constantFrom(...'_ : < </ > - . & a Z9 é 𝔸 ½'.split(' '), ' ', '\ud83d', '\u0301'),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        expect(extractTokens(text)).toEqual(byRule(text));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['letters', 'a'],
    ['underscores', '_'],
    ['underscores and colons', '_:'],
    ['tokens', 'a_b:'],
    ['letters of two units', '𝔸'],
    ['letters and an underscore', 'é_'],
  ])('needs time in proportion to the text: %s', (_, piece) => {
    const [short, long] = [piece.repeat(20_000), piece.repeat(400_000)];
    extractTokens(short);
    expect(timeOf(() => extractTokens(long)) / (timeOf(() => extractTokens(short)) + 0.5)).toBeLessThan(60);
  });
});

describe('tokensLike', () => {
  it.each([
    ['PAP_ASCII', ['PAP_ASCII'], ['PAP_ASCII_2', 'pap_ascii', 'XPAP_ASCII']],
    ['Gigabit*', ['Gigabit_1', 'Gigabit'], ['TenGigabit_1', 'gigabit_1']],
    ['*_local', ['alex_local', '_local'], ['alex_local_1']],
    ['*_local_*', ['a_local_b', '_local_'], ['_local']],
    ['a*b*b', ['a_b_b', 'abb'], ['a_b', 'ab']],
    ['ab*ba', ['ab_ba', 'abba'], ['aba']],
    ['*', ['x_y', ''], []],
    ['a.b_*', ['a.b_c'], ['aXb_c']],
  ])('%s stands for the whole token only', (name, fits, others) => {
    const isLike = tokensLike([name]);
    expect(fits.filter(isLike)).toEqual(fits);
    expect(others.filter(isLike)).toEqual([]);
  });

  it('takes any of its names, and nothing without names', () => {
    expect(['a_1', 'b_1', 'c_1'].filter(tokensLike(['a_*', 'b_1']))).toEqual(['a_1', 'b_1']);
    expect(['a_1', ''].filter(tokensLike([]))).toEqual([]);
  });

  it('needs little time for a megabyte and many stars', () => {
    const isLike = tokensLike([`${'*a'.repeat(1000)}*b`, '*'.repeat(1000)]);
    expect(timeOf(() => isLike('a_'.repeat(500_000)))).toBeLessThan(200);
  });
});

function byRule(text: string): string[] {
  const runs = [...text.matchAll(/[\p{L}\p{Nd}_.-]+/gu)].filter(({ 0: run, index }) => {
    const isName = /<\/?$/.test(text.slice(Math.max(0, index - 2), index));
    return (
      run.includes('_') &&
      /[\p{L}\p{Nd}]/u.test(run) &&
      /^[:<]/.test(text.slice(index + run.length)) &&
      !isName
    );
  });
  return [...new Set(runs.map(([run]) => run))];
}
