import { describe, expect, it } from 'vitest';
import { readHtml, readLinks } from '../../src/domain/html.ts';
import { readText } from '../../src/teams/message-text.ts';

describe('what a person typed', () => {
  it.each([
    ['plain', 'lookup AA:BB', 'lookup AA:BB'],
    ['with spaces around it', ' \n help \t', 'help'],
    ['behind a mention', '<at>NAC lookup</at> help', 'help'],
    ['behind a mention with attributes', '<at id="0">NAC</at>&nbsp;help', 'help'],
    ['between mentions', '<at>NAC</at> is <AT>Megan</AT> in?', 'is   in?'],
    ['with entities', 'a&nbsp;&lt;b&gt;&nbsp;&amp;&nbsp;&quot;c&quot;', 'a <b> & "c"'],
    ['with an entity of an entity', '&amp;lt;', '&lt;'],
    ['with an entity that nobody knows', '&no;&lt', '&no;&lt'],
    ['with a number in place of a name', '&#60;&#x27;', "<'"],
    ['in paragraphs', '<p>lookup</p><p>AA:BB</p>', 'lookup  AA:BB'],
    ['with line breaks', 'lookup<br/>AA:BB', 'lookup AA:BB'],
    ['with an attachment in it', '<attachment id="1"></attachment>help', 'help'],
    ['with an address in angle brackets', 'is <AA:BB:CC:DD:EE:FF> in?', 'is <AA:BB:CC:DD:EE:FF> in?'],
    ['with a word in angle brackets that begins like a tag', 'see <divers> <coder>', 'see <divers> <coder>'],
  ])('is read %s', (_, text, read) => {
    expect(readText({ text })).toBe(read);
  });

  const html = (content: unknown) => ({ contentType: 'text/html', content });
  const quote = '<blockquote itemtype="http://schema.skype.com/Reply"><p>CC:DD</p></blockquote>';

  it.each([
    ['a table', '', '<table><tr><td>lookup</td><td>AA:BB</td></tr></table>', 'lookup\n\nAA:BB'],
    ['a list behind a mention', '<at>NAC</at>', '<ul><li>AA:<b>BB</b></li></ul>', 'AA:BB'],
    [
      'a mention and nothing else',
      '<at>NAC lookup</at> ',
      '<p><span itemtype="http://schema.skype.com/Mention" itemscope="" itemid="0">NAC lookup</span>&nbsp;</p>',
      '',
    ],
    ['a mention by its tag', '', '<p><at id="0">NAC</at>&nbsp;AA:BB</p>', 'AA:BB'],
    ['a quote', '', quote, ''],
    ['words around quotes', '', `<p>AA</p>${quote}<p>BB</p>${quote}`, 'AA\n\n\nBB'],
    ['a quote within a quote', '', `<blockquote>${quote}EE</blockquote>`, ''],
    ['a quote that never ends', '', '<p>AA</p><blockquote>CC', 'AA'],
    ['words that stand in the text too', 'help', '<p>AA:BB</p>', 'help'],
  ])('is read from HTML if the text is empty: %s', (_, text, content, read) => {
    expect(readText({ text, attachments: [html(content) as never] })).toBe(read);
  });

  it('is not read from HTML of another shape, or from another attachment', () => {
    const attachments = [html({ content: 'AA' }), { contentType: 'text/plain', content: 'AA' }];
    expect(readText({ text: '', attachments: attachments as never })).toBe('');
  });

  it('is nothing where there is no text', () => {
    expect(readText({})).toBe('');
  });

  it('is read without the mention of the bot, in whatever form it stands', () => {
    const mention = { type: 'mention', text: '@NAC', mentioned: { id: 'bot', name: 'NAC' } };
    const recipient = { id: 'bot', name: 'NAC' };
    expect(readText({ text: '@NAC help', recipient, entities: [mention] })).toBe('help');
    const other = { ...mention, text: '@Megan', mentioned: { id: 'user-2', name: 'Megan' } };
    expect(readText({ text: '@Megan help', recipient, entities: [other] })).toBe('@Megan help');
  });
});

describe('HTML', () => {
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
  ])('is read as its text: %s', (_, html, text) => {
    expect(readHtml(html)).toBe(text);
  });

  it('is read in a time that grows as it grows', () => {
    const begun = performance.now();
    const pieces = ['<', '<b', '<at ', '<p><', '&nbsp', '</', '<a href="', "<a href='", '<a href=', '<a '];
    for (const piece of [
      ...pieces,
      '<blockquote ',
      '<blockquote>',
      '</blockquote>',
      '<span>',
      '<span itemprop="mri"',
    ])
      for (const text of [piece.repeat(Math.ceil(250_000 / piece.length)), `<${'a'.repeat(250_000)}`]) {
        readHtml(text);
        readLinks(text);
        readText({ attachments: [{ contentType: 'text/html', content: text }] });
      }
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});

describe('the links of HTML', () => {
  it.each([
    [
      'in either quotes',
      `<a href="https://a.example/1">x</a><A title='t' HREF = 'https://b.example/2'>y</A>`,
      ['https://a.example/1', 'https://b.example/2'],
    ],
    [
      'with encoded characters',
      '<a href="https://a.example/?a=1&amp;mac=AA%3ABB">x</a>',
      ['https://a.example/?a=1&mac=AA:BB'],
    ],
    ['with a wrong encoding', '<a href="https://a.example/%E0%A4%A">x</a>', ['https://a.example/%E0%A4%A']],
    ['that are none', '<abbr href="x">a</abbr><a>b</a><a href>c</a> href="d"', []],
  ])('are read %s', (_, html, links) => {
    expect(readLinks(html)).toEqual(links);
  });
});
