import { expect, it } from 'vitest';
import { extractTokens, tokensLike } from '../../../src/nac/reading/session.ts';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { timeOf } from '../../time-of.ts';

it.each([
  ['<rule>Corp_Wired_Access</rule>', ['Corp_Wired_Access']],
  [':!:Rule=Basic_Access:!:', ['Basic_Access']],
  ['<a>Wired_802.1X</a><b>Black_Access-Reject</b>', ['Wired_802.1X', 'Black_Access-Reject']],
  ['<a>Größe_1</a><b>部門_二</b><c>٣_x:', ['Größe_1', '部門_二', '٣_x']],
  ['<a>𝔸𝔹_𝔸</a>', ['𝔸𝔹_𝔸']],
  ['b_1:a_1:b_1:c_1<', ['b_1', 'a_1', 'c_1']],
  ['<a>_x_</a>', ['_x_']],
  ['x_1: y_2 : z_3<', ['x_1', 'z_3']],
  ['a__b:', ['a__b']],
  ['½a_b:\ud83dd_e<', ['a_b', 'd_e']], // These characters are none of a token.
  ['Ko\u0308ln_Wired:ศูนย์_ไทย<', ['Ko\u0308ln_Wired', 'ศูนย์_ไทย']],
  ['Caf&#233;_G:S&#x00000fc;d&#95;1<&#38;a_b:c_d&#58;', ['Café_G', 'Süd_1', 'a_b']],
  ['< f_g:a.b_c-:', ['f_g', 'a.b_c-']],
])('extractTokens takes tokens before a colon or an element from %s: %j', (text, tokens) =>
  expect(extractTokens(text)).toEqual(tokens),
);

it.each([
  // Names of elements; runs without a letter or digit, or an underscore; runs before something else.
  ...['<user_name>x</user_name>', '<user_name a="b">x</user_name >', '<my_ns:name>x</my_ns:name>'],
  ...['<a>_</a><b>__</b>_-.:', '<a>CorpWired</a>x:', 'a_b; c_d &lt; e_f> g_h', 'a_b', '<a>a_b&amp;c</a>'],
])('extractTokens takes nothing from "%s"', (text) => expect(extractTokens(text)).toEqual([]));

it('extractTokens reads a whole session as a NAC writes it', () =>
  expect(extractTokens(sessionXml({})).join()).toBe('Corp_Wired_Access,Basic_Authenticated_Access'));

it.each(['a', '_', '_:', 'a_b:', '𝔸', 'é_', 'e\u0301', '&#233;', '&#'])(
  'extractTokens needs little time for many of "%s"',
  (piece) => expect(timeOf(() => extractTokens(piece.repeat(400_000)))).toBeLessThan(2000),
);

it.each([
  ['PAP_ASCII', ['PAP_ASCII'], ['PAP_ASCII_2', 'pap_ascii', 'XPAP_ASCII']],
  ['Gigabit*', ['Gigabit_1', 'Gigabit'], ['TenGigabit_1', 'gigabit_1']],
  ['*_local', ['alex_local', '_local'], ['alex_local_1']],
  ['*_local_*', ['a_local_b', '_local_'], ['_local']],
  ['a*b*b', ['a_b_b', 'abb'], ['a_b', 'ab']],
  ['ab*ba', ['ab_ba', 'abba'], ['aba']],
  ['*', ['x_y', ''], []],
  ['a.b_*', ['a.b_c'], ['aXb_c']],
])('tokensLike %s stands for the whole token only', (name, fits, others) => {
  const isLike = tokensLike([name]);
  expect(fits.filter(isLike)).toEqual(fits);
  expect(others.filter(isLike)).toEqual([]);
});

it('tokensLike takes any of its names, and nothing without names', () => {
  expect(['a_1', 'b_1', 'c_1'].filter(tokensLike(['a_*', 'b_1']))).toEqual(['a_1', 'b_1']);
  expect(tokensLike([])('a_1')).toBe(false);
});

it('tokensLike needs little time for a megabyte and many stars', () => {
  const isLike = tokensLike([`${'*a'.repeat(1000)}*b`, '*'.repeat(1000)]);
  expect(timeOf(() => isLike('a_'.repeat(500_000)))).toBeLessThan(200);
});
