import type { Activity, Attachment } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import type { Message, Place } from '../../dialogs/render/message.ts';
import { placeOf } from '../../src/teams/activity.ts';
import {
  activityOf,
  piecesFor,
  readAttachment,
  readContent,
  readMessageContent,
} from '../../src/teams/message-activity.ts';
import { expectWellFormedCard } from '../dialogs/cards.ts';
import { timeOf } from '../time-of.ts';
import { activityOf as messageOf } from './activities.ts';

const TEAMS = 'application/vnd.microsoft.teams';
const html = (content: unknown) => ({ contentType: 'text/html', content });
const MEGAN_AT =
  '<strong itemprop="mri" itemid="8:orgid:x">Megan</strong><span itemprop="time" itemid="1"></span>';
const QUOTE = `<blockquote itemscope itemtype="http://schema.skype.com/Reply" itemid="1">${MEGAN_AT}`;
const quoteOf = (text: string) => html(`${QUOTE}<p itemprop="preview">${text}</p></blockquote><p>what?</p>`);
const FORWARD = html('<BLOCKQUOTE itemtype="http://schema.skype.com/Forward"><p>AA:BB</p></BLOCKQUOTE>');
const reference = (content: unknown) => ({ contentType: 'messageReference', content });
const card = (kind: string, content: unknown) => {
  return { contentType: `application/vnd.microsoft.card.${kind}`, content };
};

const TWO = [html('<p>AA:BB</p>'), { contentType: 'text/plain', content: 'BB' }];
const THREE = [html('AA'), html(5), html('B')];
const TABLE = html('<table><tr><td>Name</td><td>MAC</td></tr></table>');
const JOINED = { text: 'AABB', attachments: [html('<p>AA</p><p>BB</p>')] };
const mentioning = (id: string) => {
  const entities = [{ type: 'mention', text: '@X', mentioned: { id, name: 'X' } }];
  return { text: '@X help', recipient: { id: 'bot', name: 'X' }, entities };
};

it.each<[what: string, message: object, read: string]>([
  ['the text', { text: 'help', attachments: TWO }, 'help'],
  ['the HTML if the text is empty', { text: '<at>NAC</at> ', attachments: TWO }, 'AA:BB'],
  ['the HTML if the text runs its lines together', JOINED, 'AA\n\nBB'],
  ["a table's columns", { text: '', attachments: [TABLE] }, 'Name\t\tMAC'],
  ['nothing of HTML that is no text', { text: '', attachments: [html({ content: 'AA' })] }, ''],
  ['nothing of nothing', {}, ''],
  ['the first HTML of several', { attachments: THREE }, 'AA'],
  ['not what the text quotes', { text: 'what?\n\nAA:BB', attachments: [quoteOf('AA:BB')] }, 'what?'],
  ['not what the text quotes with tags', { text: '<blockquote>AA:BB</blockquote><p>what?</p>' }, 'what?'],
  ['the text next to nothing but a quote', { text: 'what?', attachments: [FORWARD] }, 'what?'],
  ['the text without the mention of the bot', mentioning('bot'), 'help'],
  ['the text with the mention of another', mentioning('user-2'), '@X help'],
])('what a person typed is %s', (_, message, read) =>
  expect(readMessageContent(message as Partial<Activity>).text).toBe(read),
);

const read = (message: object) => readMessageContent(message as Partial<Activity>);
const readOne = (attachment: Attachment) => read({ attachments: [attachment] });

describe("quotes, forwards and cards next to a person's words", () => {
  const ids = { messageId: '001b54000007', messageSender: { user: { id: '001b54000008' } } };
  const FORWARDED = { originalMessageId: '001b54000007', originalMessageContent: '<p>AA:BB</p>' };
  const FILE = { contentType: `${TEAMS}.file.download.info`, content: { uniqueId: '001b54000007' } };

  it.each<[string, Attachment, hasUnseen?: boolean]>([
    ['a reply', quoteOf('AA:BB&nbsp;')],
    ['a forward', FORWARD],
    ['a reference', reference('AA:BB')],
    ['a preview, but not its ids', reference(JSON.stringify({ ...ids, messagePreview: '\nAA:BB' }))],
    ['a forwarded message', { contentType: 'forwardedMessageReference', content: FORWARDED }],
    ['a card', card('adaptive', { body: [{ text: 'AA:BB' }] })],
    ['a card as JSON', card('hero', '{"title":"\\tAA:BB"}')],
    ['a connector card', { contentType: `${TEAMS}.card.o365connector`, content: { text: 'AA:BB' } }],
    // Nothing to read.
    ['a picture', { contentType: 'image/*', contentUrl: 'https://x.example' }, true],
    ['a pasted picture', html('<p><img itemtype="http://schema.skype.com/AMSImage"></p>'), true],
    ['an uploaded file', FILE, true],
    ['a linked file', { contentType: 'reference', content: null, contentUrl: 'https://x.example' }, true],
    ['a quote without its text', quoteOf(''), true],
    ['a reference without its text', reference('{"messageId":"001b54000007"}'), true],
    ['HTML without a quote', html('<p>blockquote AA:BB</p>'), false],
    ['HTML that is no text', html({}), false],
    ['an unknown kind', { contentType: 'application/octet-stream', content: 'AA:BB' }, false],
  ])('is read from %s, or noted where nothing can be read', (_, attachment, hasUnseen) =>
    expect(readOne(attachment)).toMatchObject({
      quoted: hasUnseen === undefined ? 'AA:BB' : '',
      hasUnseen: hasUnseen ?? false,
    }),
  );

  const entities = [{ type: 'quotedReply', quotedReply: { preview: 'AA:BB' } }];
  const mention = { type: 'mention', text: 'AA:BB', mentioned: { id: 'x' }, quotedReply: {} };
  const text = '<quoted messageId="1"/>';
  it.each<[object, quoted: string, hasUnseen?: boolean]>([
    [{ entities }, 'AA:BB'],
    [{ text, attachments: [quoteOf('')], entities }, 'AA:BB'],
    [{ text }, '', true],
    [{ text: '<blockquote>AA:BB</blockquote>what?' }, 'AA:BB'],
    [{ entities: [mention] }, ''],
  ])('is read from a preview, and once from two forms of a quote: %j', (message, quoted, hasUnseen = false) =>
    expect(read(message)).toMatchObject({ quoted, hasUnseen }),
  );

  it('is read in a time that grows as it grows, however deep', () => {
    const deep = `${'['.repeat(120_000)}"AA:BB"${']'.repeat(120_000)}`;
    const many = Array.from({ length: 5000 }, () => quoteOf('AA:BB'));
    const ms = timeOf(() => {
      for (const kind of ['hero', 'adaptive'])
        expect(readAttachment(card(kind, deep))?.text).toContain('AA:BB');
      expect(readContent(deep)).toContain('AA:BB');
      for (const contentType of ['messageReference', 'text/html']) readOne({ contentType, content: deep });
      expect(read({ attachments: many }).quoted).toHaveLength(5000 * 6 - 1);
    });
    expect(ms).toBeLessThan(2000);
  });
});

const CARD = { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: 'Connected' }] };
const MESSAGE: Message = { text: '`AA:BB`: connected.', card: CARD, summary: 'connected' };

const shown = (content: object) => {
  return { type: 'message', attachments: [card('adaptive', content)], summary: 'connected' };
};

it('a message with a card is shown as its card where cards are shown', () => {
  expect(activityOf(MESSAGE, asked())).toEqual(shown(CARD));
  for (const channelId of ['msteams', 'webchat', 'directline', 'emulator'])
    expect(piecesFor(MESSAGE, channelId)).toEqual([MESSAGE]);
  for (const channelId of ['sms', 'slack', 'email', 'MSTEAMS', '', undefined, null, 7])
    expect(piecesFor(MESSAGE, channelId)).toEqual([{ text: MESSAGE.text }]);
});

it('a message whose card is too large is sent as its text, in pieces', () => {
  const line = 'x'.repeat(99);
  const text = Array.from({ length: 500 }, () => line).join('\n');
  const pieces = piecesFor({ ...MESSAGE, text, card: { ...CARD, body: [{ text }] } }, 'msteams');
  expect(pieces.map(({ card }) => card)).toEqual([undefined, undefined]);
  expect(pieces.map(({ text }) => text).join('\n')).toBe(text);
});

it('a message with a card counts the summary with the card', () => {
  const fitting = 40_000 - JSON.stringify(CARD).length;
  const shown = (summary: string) => piecesFor({ ...MESSAGE, summary }, 'msteams')[0]?.card;
  expect([shown('x'.repeat(fitting)), shown('x'.repeat(fitting + 1))]).toEqual([CARD, undefined]);
});

it('a message without a card is markdown, in pieces of 28,000', () => {
  const lengths = (pieces: Message[]) => pieces.map(({ text }) => text.length);
  for (const channelId of ['msteams', 'sms'])
    expect(lengths(piecesFor({ text: 'x'.repeat(70_000) }, channelId))).toEqual([28_000, 28_000, 14_000]);
  const plain = { type: 'message', text: '`x`', textFormat: 'markdown' };
  expect(activityOf({ text: '`x`' }, asked())).toEqual(plain);
});

const SHARED = { id: '19:noc@thread.tacv2;messageid=1', conversationType: 'channel' };
const MEGAN = { id: '29:megan', name: "Megan O'Brien", aadObjectId: 'megan' };
const mentionOf = (id: string, name: string) => {
  return { type: 'mention', text: `<at>${name}</at>`, mentioned: { id, name } };
};
const MENTION = mentionOf(MEGAN.id, MEGAN.name);
const mentions = [{ id: MEGAN.id, name: MEGAN.name }];
const LATE: Message = { ...MESSAGE, mentions };
const TEXT: Message = { text: MESSAGE.text, mentions };

describe('a message that mentions its asker', () => {
  it('without a card has the mention above its text', () => {
    const text = "<at>Megan O'Brien</at>  \n`AA:BB`: connected.";
    const markdown = { type: 'message', text, textFormat: 'markdown', entities: [MENTION] };
    expect(activityOf(TEXT, asked())).toEqual(markdown);
  });

  it('with a card has the mention in the card, and no text', () => {
    const activity = activityOf(LATE, asked());
    const head = { type: 'TextBlock', text: "<at>Megan O'Brien</at>", wrap: true };
    const content = { ...CARD, body: [head, ...CARD.body], msteams: { entities: [MENTION] } };
    expect(activity).toEqual(shown(content));
    const { msteams, ...card } = Object(activity.attachments?.[0]?.content);
    expectWellFormedCard(card);
    expect(LATE.card).not.toHaveProperty('msteams');
  });

  it('can mention several people, also two of one name', () => {
    const named = (...names: string[]) => names.map((name, at) => ({ id: name && `29:${at}`, name }));
    const all = [...mentions, ...named('Alex', '<at>Alex', '')];
    const { text, entities } = activityOf({ text: 'x', mentions: all }, asked());
    expect(text).toBe("<at>Megan O'Brien</at> <at>Alex</at> <at>atAlex</at>  \nx");
    expect(entities).toHaveLength(3);
    const both = activityOf({ text: 'x', mentions: named('Alex', 'Alex') }, asked());
    expect(both.text).toBe('<at>Alex</at> <at>Alex 2</at>  \nx');
  });

  it('mentions nobody in a personal chat', () => {
    const at = asked({ conversation: { id: 'c', conversationType: 'personal' } });
    expect(activityOf(TEXT, at)).toEqual(activityOf({ text: MESSAGE.text }, at));
    expect(activityOf(LATE, at)).toEqual(activityOf(MESSAGE, at));
  });

  it('has no mention in cards of another chat service', () => {
    const at = asked({ channelId: 'webchat', conversation: { id: 'c', isGroup: true } });
    expect(activityOf(LATE, at)).toEqual(activityOf(MESSAGE, at));
    expect(activityOf(TEXT, at)).toHaveProperty('entities', [MENTION]);
  });

  it('in pieces mentions in the first alone', () => {
    const pieces = piecesFor({ ...TEXT, text: 'x'.repeat(30_000) }, 'msteams');
    expect(pieces.map((piece) => piece.mentions)).toEqual([mentions, undefined]);
  });
});

it.each([
  ['</at><at>General', 'atatGeneral'],
  ['<at>General</at>', 'atGeneralat'],
  ['[x](https://example.org)', 'xhttpsexample.org'],
  ['**Megan** _Bowen_ `x` ~~y~~ # &lt;b&gt;', 'Megan Bowen x y ltbgt'],
  ['Megan\nBowen\u00a0\u202eevil\u200b', 'Megan Bowen evil'],
  ['Anne-Marie O’Neil Jr. 2', 'Anne-Marie O’Neil Jr. 2'],
  ['Zoe\u0308 Nguyễn', 'Zoë Nguyễn'],
  ['अनिल कुमार', 'अनिल कुमार'],
  ['李小龙', '李小龙'],
  [`x${'\u0301'.repeat(50)}`, 'x\u0301\u0301\u0301'],
  [`${'x'.repeat(99)}𝒳`, 'x'.repeat(99)],
  ['', 'you'],
  [' <>{}|\\"@/ ', 'you'],
  ["-.' ", 'you'],
])('the name of a mention %j is shown as %j', (name, shown) => {
  const { text, entities } = activityOf({ ...TEXT, mentions: [{ id: '29:x', name }] }, asked());
  expect(text).toBe(`<at>${shown}</at>  \n${TEXT.text}`);
  expect(entities).toEqual([mentionOf('29:x', shown)]);
});

function asked(changes: object = {}): Place {
  const activity = messageOf({ conversation: SHARED, from: MEGAN, ...changes });
  return JSON.parse(JSON.stringify(placeOf(activity)));
}
