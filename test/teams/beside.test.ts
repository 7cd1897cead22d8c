import type { Activity } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import { readBeside } from '../../src/teams/message-text.ts';

const CARD = 'application/vnd.microsoft.card';
const html = (content: unknown) => ({ contentType: 'text/html', content });
const quoteOf = (text: string) =>
  html(
    `<blockquote itemscope itemtype="http://schema.skype.com/Reply" itemid="1"><strong itemprop="mri" itemid="8:orgid:x">Megan</strong><span itemprop="time" itemid="1"></span><p itemprop="preview">${text}</p></blockquote><p>what?</p>`,
  );
const reference = (content: unknown) => ({ contentType: 'messageReference', content });
const preview = (text: string) => ({ type: 'quotedReply', quotedReply: { preview: text } });

describe("what stands beside a person's words", () => {
  it.each<[string, object, string]>([
    ['a reply', { attachments: [quoteOf('down: AA:BB&nbsp;')] }, 'down: AA:BB'],
    [
      'a forward',
      {
        attachments: [
          html('<BLOCKQUOTE itemtype="http://schema.skype.com/Forward"><p>AA:BB</p></BLOCKQUOTE>'),
        ],
      },
      'AA:BB',
    ],
    ['a reference', { attachments: [reference('AA:BB')] }, 'AA:BB'],
    [
      'the preview of a reference, but not its ids',
      {
        attachments: [
          reference(
            JSON.stringify({
              messageId: '001b54000007',
              messagePreview: 'AA:BB',
              messageSender: { user: { id: '001b54000008', displayName: 'Megan' } },
            }),
          ),
        ],
      },
      'AA:BB',
    ],
    [
      'a forwarded message',
      {
        attachments: [
          {
            contentType: 'forwardedMessageReference',
            content: { originalMessageId: '001b54000007', originalMessageContent: '<p>AA:BB</p>' },
          },
        ],
      },
      'AA:BB',
    ],
    ['a preview', { entities: [preview('AA:BB')] }, 'AA:BB'],
    [
      'two forms of a quote',
      { text: '<quoted messageId="1"/>', attachments: [quoteOf('')], entities: [preview('B')] },
      'B',
    ],
    [
      'a card',
      { attachments: [{ contentType: `${CARD}.adaptive`, content: { body: [{ text: 'AA:BB' }] } }] },
      'AA:BB',
    ],
    [
      'a card as JSON',
      { attachments: [{ contentType: `${CARD}.hero`, content: '{"title":"AA:BB"}' }] },
      'AA:BB',
    ],
    [
      'a connector card',
      {
        attachments: [
          { contentType: 'application/vnd.microsoft.teams.card.o365connector', content: { text: 'AA:BB' } },
        ],
      },
      'AA:BB',
    ],
    [
      'a code snippet, but not its address',
      {
        attachments: [
          {
            contentType: `${CARD}.codesnippet`,
            content: JSON.stringify({
              language: 'text',
              code: 'AA:BB',
              codeSnippetUrl: 'https://x.example/001b54000007',
            }),
          },
        ],
      },
      'AA:BB',
    ],
  ])('is read from %s', (_, activity, quoted) => {
    expect(readBeside(activity as Partial<Activity>)).toEqual({ quoted, unseen: [] });
  });

  it.each<[string, object, string[]]>([
    [
      'a picture',
      { attachments: [{ contentType: 'image/*', contentUrl: 'https://x.example' }] },
      ['picture'],
    ],
    [
      'a pasted picture',
      { attachments: [html('<p><img itemtype="http://schema.skype.com/AMSImage"></p>')] },
      ['picture'],
    ],
    [
      'an uploaded file',
      {
        attachments: [
          {
            contentType: 'application/vnd.microsoft.teams.file.download.info',
            name: 'log.txt',
            content: {
              downloadUrl: 'https://x.example/001b54000007',
              uniqueId: '001b54000007',
              fileType: 'txt',
            },
          },
        ],
      },
      ['file'],
    ],
    [
      'a linked file',
      {
        attachments: [
          { contentType: 'reference', content: null, contentUrl: 'https://x.example', name: 'a' },
        ],
      },
      ['file'],
    ],
    ['a quote without its text', { attachments: [quoteOf('')] }, ['quote']],
    ['a reference without its text', { attachments: [reference('{"messageId":"001b54000007"}')] }, ['quote']],
    ['the place of a quote', { text: '<quoted messageId="1"/>' }, ['quote']],
    [
      'a code snippet elsewhere',
      {
        attachments: [
          {
            contentType: `${CARD}.codesnippet`,
            content: '{"language":"text","codeSnippetUrl":"https://x.example/1"}',
          },
        ],
      },
      ['code'],
    ],
    [
      'a component',
      { attachments: [{ contentType: `${CARD}.fluidEmbedCard`, content: '{"componentUrl":"x"}' }] },
      ['component'],
    ],
  ])('cannot be seen in %s', (_, activity, unseen) => {
    expect(readBeside(activity as Partial<Activity>)).toEqual({ quoted: '', unseen });
  });

  it.each<[string, object]>([
    ['no attachment', {}],
    ['HTML without a quote', { attachments: [html('<p>blockquote AA:BB</p>')] }],
    ['HTML that is no text', { attachments: [html({})] }],
    [
      'an attachment of an unknown kind',
      { attachments: [{ contentType: 'application/octet-stream', content: 'AA:BB' }] },
    ],
    ['a mention', { entities: [{ type: 'mention', text: 'AA:BB', mentioned: { id: 'x' } }] }],
  ])('is nothing in a message with %s', (_, activity) => {
    expect(readBeside(activity as Partial<Activity>)).toEqual({ quoted: '', unseen: [] });
  });

  it('is read in a time that grows as it grows, however deep', () => {
    const deep = `${'['.repeat(120_000)}"AA:BB"${']'.repeat(120_000)}`;
    const many = Array.from({ length: 5000 }, () => quoteOf('AA:BB'));
    const begun = performance.now();
    for (const contentType of [`${CARD}.adaptive`, `${CARD}.codesnippet`, 'messageReference', 'text/html'])
      readBeside({ attachments: [{ contentType, content: deep }] });
    expect(readBeside({ attachments: [{ contentType: `${CARD}.adaptive`, content: deep }] }).quoted).toBe(
      'AA:BB',
    );
    expect(readBeside({ attachments: many }).quoted).toHaveLength(5000 * 6 - 1);
    for (const piece of [
      '<blockquote>',
      '<blockquote ',
      '<strong itemprop="mri"',
      '<strong itemprop="mri">x</strong>',
    ])
      readBeside({ attachments: [html(piece.repeat(Math.ceil(250_000 / piece.length)))] });
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
