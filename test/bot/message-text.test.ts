import type { Activity } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import { readHtml, readQuotes, readText } from '../../src/bot/message-text.ts';

describe('what a person typed', () => {
  it.each([
    ['plain', 'lookup AA:BB', 'lookup AA:BB'],
    ['with spaces around it', ' \n help \t', 'help'],
    ['behind a mention', '<at>NAC lookup</at> help', 'help'],
    ['behind a mention with attributes', '<at id="0">NAC</at>&nbsp;help', 'help'],
    ['between mentions', '<at>NAC</at> is <AT>Megan</AT> in?', 'is   in?'],
    ['with entities', 'a&nbsp;&lt;b&gt;&nbsp;&amp;&nbsp;&quot;c&quot;', 'a <b> & "c"'],
    ['with an entity of an entity', '&amp;lt;', '&lt;'],
    ['with an entity that nobody knows', '&no;&#60;', '&no;&#60;'],
    ['in paragraphs', '<p>lookup</p><p>AA:BB</p>', 'lookup  AA:BB'],
    ['with line breaks', 'lookup<br/>AA:BB', 'lookup AA:BB'],
    ['with an attachment in it', '<attachment id="1"></attachment>help', 'help'],
    ['with an address in angle brackets', 'is <AA:BB:CC:DD:EE:FF> in?', 'is <AA:BB:CC:DD:EE:FF> in?'],
    ['with a word in angle brackets that begins like a tag', 'see <divers> <coder>', 'see <divers> <coder>'],
  ])('is read %s', (_, text, read) => {
    expect(readText({ text })).toBe(read);
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
    for (const piece of ['<', '<b', '<at ', '<p><', '&nbsp', '</'])
      readHtml(piece.repeat(Math.ceil(250_000 / piece.length)));
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});

describe('what a message quotes', () => {
  const html = (content: string) => ({ contentType: 'text/html', content });
  const reply =
    '<blockquote itemscope itemtype="http://schema.skype.com/Reply" itemid="1"><strong itemprop="mri" itemid="8:orgid:x">Megan</strong><span itemprop="time" itemid="1"></span><p itemprop="preview">down: AA:BB&nbsp;</p></blockquote><p>what?</p>';
  const preview = (text: string) => ({ type: 'quotedReply', quotedReply: { preview: text } });

  it.each<[string, Partial<Activity>, string]>([
    ['a reply', { attachments: [html(reply)] }, 'Megan\ndown: AA:BB \nwhat?'],
    [
      'a forward',
      {
        attachments: [
          html('<BLOCKQUOTE itemtype="http://schema.skype.com/Forward"><p>AA:BB</p></BLOCKQUOTE>'),
        ],
      },
      'AA:BB',
    ],
    ['a reference', { attachments: [{ contentType: 'messageReference', content: 'AA:BB' }] }, 'AA:BB'],
    ['a preview', { entities: [preview('AA:BB')] }, 'AA:BB'],
    [
      'several at once',
      { attachments: [html('<blockquote>A</blockquote>')], entities: [preview('B')] },
      'A\nB',
    ],
  ])('is read from %s', (_, activity, text) => {
    const lines = readQuotes(activity).split('\n');
    expect(lines.filter(Boolean).join('\n')).toBe(text);
  });

  it.each<[string, Partial<Activity>]>([
    ['no attachment', {}],
    ['HTML without a quotation', { attachments: [html('<p>blockquote AA:BB</p>')] }],
    ['HTML that is no text', { attachments: [html({} as string)] }],
    [
      'a card',
      {
        attachments: [
          { contentType: 'application/vnd.microsoft.card.adaptive', content: '<blockquote>AA</blockquote>' },
        ],
      },
    ],
    ['a mention', { entities: [{ type: 'mention', text: 'AA:BB', mentioned: { id: 'x' } }] }],
  ])('is nothing in a message with %s', (_, activity) => {
    expect(readQuotes(activity)).toBe('');
  });
});
