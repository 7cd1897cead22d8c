import type { Activity, Attachment } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import { readBeside, readContent, readText } from '../../src/teams/message-text.ts';

const CARD = 'application/vnd.microsoft.card';
const TEAMS = 'application/vnd.microsoft.teams';
const html = (content: unknown) => ({ contentType: 'text/html', content });
const quoteOf = (text: string) =>
  html(
    `<blockquote itemscope itemtype="http://schema.skype.com/Reply" itemid="1"><strong itemprop="mri" itemid="8:orgid:x">Megan</strong><span itemprop="time" itemid="1"></span><p itemprop="preview">${text}</p></blockquote><p>what?</p>`,
  );
const reference = (content: unknown) => ({ contentType: 'messageReference', content });
const card = (kind: string, content: unknown) => ({ contentType: `${CARD}.${kind}`, content });
const preview = (text: string) => ({ type: 'quotedReply', quotedReply: { preview: text } });

describe('what a person typed', () => {
  it.each([
    ['help', '<p>AA:BB</p>', 'help'],
    ['<at>NAC</at> ', '<p>AA:BB</p>', 'AA:BB'],
    ['', { content: 'AA' }, ''],
    [undefined, undefined, ''],
  ])('is the text %j, and the HTML %j if the text is empty', (text, content, read) => {
    const attachments = [html(content), { contentType: 'text/plain', content: 'BB' }];
    expect(readText({ ...(text !== undefined && { text }), attachments })).toBe(read);
  });

  it('is read without the mention of the bot, in whatever form it stands', () => {
    const mention = { type: 'mention', text: '@NAC', mentioned: { id: 'bot', name: 'NAC' } };
    const recipient = { id: 'bot', name: 'NAC' };
    expect(readText({ text: '@NAC help', recipient, entities: [mention] })).toBe('help');
    const other = { ...mention, text: '@Megan', mentioned: { id: 'user-2', name: 'Megan' } };
    expect(readText({ text: '@Megan help', recipient, entities: [other] })).toBe('@Megan help');
  });
});

/** What stands beside the words of a message with one attachment. */
const beside = (attachment: Attachment) => readBeside({ attachments: [attachment] });

describe("what stands beside a person's words", () => {
  const ids = { messageId: '001b54000007', messageSender: { user: { id: '001b54000008' } } };
  const FORWARD = { originalMessageId: '001b54000007', originalMessageContent: '<p>AA:BB</p>' };
  const SNIPPET = { language: 'text', codeSnippetUrl: 'https://x.example/001b54000007' };

  it.each<[string, Attachment]>([
    ['a reply', quoteOf('AA:BB&nbsp;')],
    ['a forward', html('<BLOCKQUOTE itemtype="http://schema.skype.com/Forward"><p>AA:BB</p></BLOCKQUOTE>')],
    ['a reference', reference('AA:BB')],
    ['a preview, but not its ids', reference(JSON.stringify({ ...ids, messagePreview: '\nAA:BB' }))],
    ['a forwarded message', { contentType: 'forwardedMessageReference', content: FORWARD }],
    ['a card', card('adaptive', { body: [{ text: 'AA:BB' }] })],
    ['a card as JSON', card('hero', '{"title":"\\tAA:BB"}')],
    ['a connector card', { contentType: `${TEAMS}.card.o365connector`, content: { text: 'AA:BB' } }],
    ['a code snippet, not its address', card('codesnippet', JSON.stringify({ ...SNIPPET, code: 'AA:BB' }))],
  ])('is read from %s', (_, attachment) => {
    expect(beside(attachment)).toEqual({ quoted: 'AA:BB', unseen: [] });
  });

  it('is read from a preview, and from one of two forms of a quote', () => {
    const entities = [preview('AA:BB')];
    expect(readBeside({ entities })).toEqual({ quoted: 'AA:BB', unseen: [] });
    const twice = { text: '<quoted messageId="1"/>', attachments: [quoteOf('')], entities };
    expect(readBeside(twice)).toEqual({ quoted: 'AA:BB', unseen: [] });
    expect(readBeside({ text: '<quoted messageId="1"/>' })).toEqual({ quoted: '', unseen: ['quote'] });
  });

  it.each<[string, Attachment, string[]]>([
    ['a picture', { contentType: 'image/*', contentUrl: 'https://x.example' }, ['picture']],
    ['a pasted picture', html('<p><img itemtype="http://schema.skype.com/AMSImage"></p>'), ['picture']],
    [
      'an uploaded file',
      { contentType: `${TEAMS}.file.download.info`, content: { uniqueId: '001b54000007' } },
      ['file'],
    ],
    ['a linked file', { contentType: 'reference', content: null, contentUrl: 'https://x.example' }, ['file']],
    ['a quote without its text', quoteOf(''), ['quote']],
    ['a reference without its text', reference('{"messageId":"001b54000007"}'), ['quote']],
    ['a code snippet elsewhere', card('codesnippet', JSON.stringify(SNIPPET)), ['code']],
    ['a component', card('fluidEmbedCard', '{"componentUrl":"x"}'), ['component']],
    ['HTML without a quote', html('<p>blockquote AA:BB</p>'), []],
    ['HTML that is no text', html({}), []],
    ['an unknown kind', { contentType: 'application/octet-stream', content: 'AA:BB' }, []],
  ])('is nothing to read in %s', (_, attachment, unseen) => {
    expect(beside(attachment)).toEqual({ quoted: '', unseen });
  });

  it('is nothing without attachments, and no mention', () => {
    const mention = { type: 'mention', text: 'AA:BB', mentioned: { id: 'x' } };
    for (const message of [{}, { entities: [mention] } as Partial<Activity>])
      expect(readBeside(message)).toEqual({ quoted: '', unseen: [] });
  });

  it('is read in a time that grows as it grows, however deep', () => {
    const deep = `${'['.repeat(120_000)}"AA:BB"${']'.repeat(120_000)}`;
    const begun = performance.now();
    for (const kind of ['codesnippet', 'adaptive']) expect(beside(card(kind, deep)).quoted).toBe('AA:BB');
    expect(readContent(deep)).toBe('AA:BB');
    for (const contentType of ['messageReference', 'text/html']) beside({ contentType, content: deep });
    const many = Array.from({ length: 5000 }, () => quoteOf('AA:BB'));
    expect(readBeside({ attachments: many }).quoted).toHaveLength(5000 * 6 - 1);
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
