import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  firstPart,
  readHtml,
  readLinks,
  readOwnHtml,
  readQuoteHtml,
  readTyped,
  SEARCHED,
  splitText,
  storable,
} from '../../src/domain/text.ts';
import { timeOf } from '../time-of.ts';

/** Texts of several alphabets, full of line ends and two-unit characters. */
const text = fc.string({ unit: fc.constantFrom('a', '_', ' ', '\n', '\r', 'é', '🌱'), maxLength: 200 });
const limit = fc.integer({ min: 2, max: 40 });

describe('pieces of a text', () => {
  it('fit the limit, lose and add nothing but line ends, and break no character of two units', () => {
    fc.assert(
      fc.property(text, limit, (whole, most) => {
        const pieces = splitText(whole, most);
        expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(most);
        expect(pieces.join('').replaceAll('\n', '')).toBe(whole.replaceAll('\n', ''));
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      }),
    );
  });

  it('break no line that fits', () => {
    const fitting = limit.chain((most) =>
      fc.tuple(fc.array(fc.string({ unit: fc.constantFrom('a', '_'), maxLength: most })), fc.constant(most)),
    );
    fc.assert(
      fc.property(fitting, ([lines, most]) => {
        const pieces = splitText(lines.join('\n'), most).flatMap((piece) => piece.split('\n'));
        expect(pieces.filter(Boolean)).toEqual(lines.filter(Boolean));
      }),
      { numRuns: 2000, examples: [[[['', 'aaaa'], 4]], [[['aaaa', '', 'aaaa'], 4]]] },
    );
  });

  it.each([
    ['', 5, ['']],
    ['x'.repeat(25), 10, ['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]],
    [`ab\n${'x'.repeat(12)}\ncd`, 10, ['ab', 'x'.repeat(10), 'xx\ncd']],
    ['abcde', 5, ['abcde']],
    ['ab\ncd', 5, ['ab\ncd']],
    ['ab\ncd\nef', 5, ['ab\ncd', 'ef']],
    ['abcde\nf', 5, ['abcde', 'f']],
    ['abcd🌱', 5, ['abcd', '🌱']],
    ['a\r\nb', 3, ['a\r', 'b']],
  ])('of %j at %i are %j', (whole, most, pieces) => expect(splitText(whole, most)).toEqual(pieces));

  it('of a million lines come in linear time', () => {
    const whole = 'a_b\n'.repeat(1_000_000);
    expect(splitText(whole, 10_000).join('\n')).toBe(whole);
    expect(timeOf(() => splitText(whole, 10_000))).toBeLessThan(2000);
  });
});

describe('the first part of a text', () => {
  it.each([0, 1, SEARCHED])('is the text itself, up to %i units', (length) =>
    expect(firstPart('x'.repeat(length))).toEqual({ text: 'x'.repeat(length), isCut: false }),
  );

  it.each([
    ['ab ', ''],
    ['{"port":1},', '"'],
  ])('ends before the address that is cut behind "%s"', (piece, quote) => {
    const filler = piece.repeat((SEARCHED - 4) / piece.length) + quote;
    expect(firstPart(`${filler}00:1B:54:00:00:07${quote} ${filler}`)).toEqual({ text: filler, isCut: true });
  });

  it('has no half of a character', () =>
    expect(firstPart(`x${'😀'.repeat(SEARCHED)}`).text.isWellFormed()).toBe(true));
});

it.each([
  ['a\0b', 'a\uFFFDb'],
  ['\uD83D alone', '\uFFFD alone'],
  ['🌱 stays', '🌱 stays'],
  ['\\u0000 is plain text', '\\u0000 is plain text'],
])('a database keeps %j as %j', (text, kept) => expect(storable(text)).toBe(kept));

it.each([
  ['plain', 'lookup AA:BB', 'lookup AA:BB'],
  ['with spaces around it', ' \n help \t', 'help'],
  ['behind a mention', '<at>NAC lookup</at> help', 'help'],
  ['behind a mention with attributes', '<at id="0">NAC</at>&nbsp;help', 'help'],
  ['between mentions', '<at>NAC</at> is <AT>Megan</AT> in?', 'is   in?'],
  ['with entities', 'a&nbsp;&lt;b&gt;&nbsp;&amp;&nbsp;&quot;c&quot;', 'a <b> & "c"'],
  ['with an entity of an entity', '&amp;lt;', '&lt;'],
  ['with an entity that nobody knows, or that does not end', '&no;&lt', '&no;&lt'],
  ['with a number in place of a name', '&#60;&#x27;', "<'"],
  ['in paragraphs', '<p>lookup</p><p>AA:BB</p>', 'lookup  AA:BB'],
  ['with line breaks', 'lookup<br/>AA:BB', 'lookup AA:BB'],
  ['with formatting inside an address', 'AA:<b>BB</b>:<strong>CC</strong>', 'AA:BB:CC'],
  ['with an attachment in it', '<attachment id="1"></attachment>help', 'help'],
  ['with an address in angle brackets', 'is <AA:BB:CC:DD:EE:FF> in?', 'is <AA:BB:CC:DD:EE:FF> in?'],
  ['with a word in angle brackets that begins like a tag', 'see <divers> <coder>', 'see <divers> <coder>'],
])('what a person typed is read %s', (_, text, read) => expect(readTyped(text)).toBe(read));

it.each([
  ['a paragraph', '<p>down: AA:BB</p>', 'down: AA:BB'],
  ['formatting inside a word', '<b>AA</b>:<i>BB</i>:<span class="x">C</span>C', 'AA:BB:CC'],
  ['a link around a part of a word', '<a href="https://example.com/?a=1">AA</a>:BB', 'AA:BB'],
  ['attributes over lines', '<span\n  style="color: red"\n>AA</span>:BB', 'AA:BB'],
  ['capital letters', '<P>AA<BR>BB</P>', 'AA\nBB'],
  ['cells of a table', '<table><tr><td>AA:BB</td><td>CC</td></tr></table>', 'AA:BB\n\nCC'],
  ['items of a list', '<ul><li>AA</li><li>BB</li></ul>', 'AA\n\nBB'],
  ['entities', 'AA&nbsp;&amp;&nbsp;&lt;BB&gt;', 'AA & <BB>'],
  ['a tag that is written out', '&lt;b&gt;', '<b>'],
  ['a number less than another', '1 < 2 > 1', '1 < 2 > 1'],
  ['an address in angle brackets', 'is <00:1B:54:00:00:03> in?', 'is <00:1B:54:00:00:03> in?'],
  ['nothing', '', ''],
])('HTML is read as its text: %s', (_, html, text) => expect(readHtml(html)).toBe(text));

describe('a quote', () => {
  const quote = '<blockquote itemtype="http://schema.skype.com/Reply"><p>CC:DD</p></blockquote>';

  it.each([
    ['a list behind a mention', '<at>NAC</at><ul><li>AA:<b>BB</b></li></ul>', 'AA:BB'],
    ['a mention', '<p><span itemtype="http://schema.skype.com/Mention">NAC lookup</span>&nbsp;</p>', ''],
    ['a quote', quote, ''],
    ['words around quotes', `<p>AA</p>${quote}<p>BB</p>${quote}`, 'AA\n\n\nBB'],
    ['a quote within a quote', `<blockquote>${quote}EE</blockquote>`, ''],
    ['a quote that never ends', '<p>AA</p><blockquote>CC', 'AA'],
  ])('is apart from what the person says: %s', (_, html, own) => expect(readOwnHtml(html)).toBe(own));

  it.each([
    ['<p>none</p>', undefined],
    [`<p>AA</p>${quote}`, 'CC:DD'],
    ['<BLOCKQUOTE><strong itemprop="mri" itemid="8:x">Megan</strong><p>AA</p></BLOCKQUOTE>', 'AA'],
  ])('is read without the name of its person: %s', (html, quoted) =>
    expect(readQuoteHtml(html)).toBe(quoted),
  );
});

it.each([
  [`<a href="https://a.example/1">x</a><A title='t' HREF = '//b'>y</A>`, ['https://a.example/1', '//b']],
  ['<a href="https://a.example/?a=1&amp;mac=AA%3ABB">x</a>', ['https://a.example/?a=1&mac=AA:BB']],
  ['<a href="https://a.example/%E0%A4%A">x</a>', ['https://a.example/%E0%A4%A']],
  ['<abbr href="x">a</abbr><a>b</a><a href>c</a> href="d"', []],
])('the links of %s are %j', (html, links) => expect(readLinks(html)).toEqual(links));

it('HTML is read in a time that grows as it grows', () => {
  for (const piece of [
    ...['<', '<b', '<at ', '<p><', '&nbsp', '&', '&#', '</', '<a href="', "<a href='", '<a href=', '<a '],
    ...['<blockquote ', '<blockquote>', '</blockquote>', '<span>', '<span itemprop="mri"'],
    ...['<strong itemprop="mri">x</strong>', `<${'a'.repeat(250_000)}`],
  ]) {
    const text = piece.repeat(Math.ceil(250_000 / piece.length));
    for (const read of [readHtml, readLinks, readTyped, readOwnHtml, readQuoteHtml])
      expect(timeOf(() => read(text))).toBeLessThan(500);
  }
});
