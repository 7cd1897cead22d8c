import { expect, it } from 'vitest';
import { readHtml, readTyped } from '../../src/domain/text.ts';
import { timeOf } from '../time-of.ts';

it.each([
  ['plain', 'lookup AA:BB', 'lookup AA:BB'],
  ['with spaces around it', ' \n help \t', 'help'],
  ['behind a mention with attributes', '<at id="0">NAC</at>&nbsp;help', 'help'],
  ['between mentions', '<at>NAC</at> is <AT>Megan</AT> in?', 'is    in?'],
  ['with entities', 'a&nbsp;&lt;b&gt;&nbsp;&amp;&nbsp;&quot;c&quot;', 'a <b> & "c"'],
  ['with an entity of an entity', '&amp;lt;', '&lt;'],
  ['with an entity that nobody knows, or that does not end', '&no;&lt', '&no;&lt'],
  ['with a number in place of a name', '&#60;&#x27;', "<'"],
  ['with line breaks', 'lookup<br/>AA:BB', 'lookup\n\nAA:BB'],
  ['with formatting inside an address', 'AA:<b>BB</b>:<strong>CC</strong>', 'AA:BB:CC'],
  ['with an attachment in it', '<attachment id="1"></attachment>help', 'help'],
  ['with an address in angle brackets', 'is <AA:BB:CC:DD:EE:FF> in?', 'is <AA:BB:CC:DD:EE:FF> in?'],
  ['with a word in angle brackets that begins like a tag', 'see <divers> <coder>', 'see <divers> <coder>'],
])('what a person typed is read %s', (_, text, read) => expect(readTyped(text).own).toBe(read));

it.each([
  ['a paragraph', '<p>down: AA:BB</p>', 'down: AA:BB'],
  ['formatting inside a word', '<b>AA</b>:<i>BB</i>:<span class="x">C</span>C', 'AA:BB:CC'],
  ['a link around a part of a word', '<a href="https://example.com/?a=1">AA</a>:BB', 'AA:BB'],
  ['attributes over lines', '<span\n  style="color: red"\n>AA</span>:BB', 'AA:BB'],
  ['capital letters', '<P>AA<BR>BB</P>', 'AA\n\nBB'],
  ['cells of a table', '<table><tr><td><p>AA:BB</p></td><td>CC</td></tr></table>', 'AA:BB \t\tCC'],
  ['items of a list', '<ul><li>AA</li><li>BB</li></ul>', 'AA\n\nBB'],
  ['entities', 'AA&nbsp;&amp;&nbsp;&lt;BB&gt;', 'AA & <BB>'],
  ['a number less than another', '1 < 2 > 1', '1 < 2 > 1'],
  ['nothing', '', ''],
])('HTML is read as its text: %s', (_, html, text) => expect(readHtml(html).text).toBe(text));

const quote = '<blockquote itemtype="http://schema.skype.com/Reply"><p>CC:DD</p></blockquote>';

it.each([
  ['a list behind a mention', '<at>NAC</at><ul><li>AA:<b>BB</b></li></ul>', 'AA:BB'],
  ['a mention', '<p><span itemtype="http://schema.skype.com/Mention">NAC lookup</span>&nbsp;</p>', ''],
  ['a quote', quote, ''],
  ['words around quotes', `<p>AA</p>${quote}<p>BB</p>${quote}`, 'AA\n\n\n\nBB'],
  ['a quote within a quote', `<blockquote>${quote}EE</blockquote>`, ''],
  ['a quote that never ends', '<p>AA</p><blockquote>CC', 'AA'],
])('a quote is apart from what the person says: %s', (_, html, own) => expect(readHtml(html).own).toBe(own));

it.each([
  ['<p>none</p>', undefined],
  [`<p>AA</p>${quote}`, 'CC:DD'],
  ['<BLOCKQUOTE><strong itemprop="mri" itemid="8:x">Megan</strong><p>AA</p></BLOCKQUOTE>', 'AA'],
])('a quote is read without the name of its person: %s', (html, quoted) =>
  expect(readHtml(html).quoted).toBe(quoted),
);

it.each([
  [`<a href="https://a.example/1">x</a><A title='t' HREF = '//b'>y</A>`, ['https://a.example/1', '//b']],
  ['<a href="https://a.example/?a=1&amp;mac=AA%3ABB">x</a>', ['https://a.example/?a=1&mac=AA:BB']],
  ['<a href="https://a.example/%E0%A4%A">x</a>', ['https://a.example/%E0%A4%A']],
  ['<abbr href="x">a</abbr><a>b</a><a href>c</a> href="d"', []],
])('the links of %s are %j', (html, links) => expect(readHtml(html).links).toEqual(links));

it('HTML is read in a time that grows as it grows', () => {
  for (const piece of [
    ...['<', '<b', '<at ', '<p><', '&nbsp', '&', '&#', '</', '<a href="', "<a href='", '<a href=', '<a '],
    ...['<blockquote ', '<blockquote>', '</blockquote>', '<span>', '<span itemprop="mri"'],
    ...['<strong itemprop="mri">x</strong>', `<${'a'.repeat(250_000)}`],
  ]) {
    const text = piece.repeat(Math.ceil(250_000 / piece.length));
    for (const read of [readHtml, readTyped]) expect(timeOf(() => read(text))).toBeLessThan(500);
  }
});
