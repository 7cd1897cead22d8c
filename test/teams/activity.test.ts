import type { Activity, Attachment } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import * as reading from '../../src/teams/activity.ts';
import { personOf } from '../../src/teams/admission.ts';
import { timeOf } from '../time-of.ts';
import { activityOf } from './activities.ts';

const { keyOf, placeOf, submissionOf } = reading;
const mentionOf = (id: string) => ({ type: 'mention', text: '<at>x</at>', mentioned: { id } });

describe('a message', () => {
  it('has one key when it is repeated, and one a conversation', () => {
    const key = keyOf(activityOf({ text: 'one' }));
    expect(keyOf(activityOf({ text: 'other' }))).toBe(key);
    expect(keyOf(activityOf({ id: 'message-2' }))).not.toBe(key);
    expect(keyOf(activityOf({ conversation: { id: 'chat;messageid=1' } }))).not.toBe(key);
  });

  it('has another key for each edit, and the same for its repeat', () => {
    const edit = { type: 'messageUpdate', channelData: { eventType: 'editMessage' } };
    const at = (second: number) => activityOf({ ...edit, timestamp: `2026-01-15T14:02:0${second}.123Z` });
    expect(keyOf(at(1))).toBe(keyOf({ ...at(1), text: 'x' }));
    expect(new Set([keyOf(activityOf({})), keyOf(at(1)), keyOf(at(2))])).toHaveLength(3);
    for (const timestamp of ['x'.repeat(10_000), { x: 'x'.repeat(10_000) }])
      expect(keyOf(activityOf({ ...edit, timestamp })).length).toBeLessThan(100);
  });

  it.each([
    [new Date(92_000), 92_000],
    ['1970-01-01T00:01:32Z', 92_000],
    [undefined, NaN],
    ['yesterday', NaN],
    [{}, NaN],
  ])('was written at %j: %d', (timestamp, ms) =>
    expect(reading.writtenAtOf(activityOf({ timestamp }))).toBe(ms),
  );

  it('is of the person in the directory, else in the chat service', () => {
    expect(personOf(placeOf(activityOf({})))).toBe('megan');
    expect(personOf(placeOf(activityOf({ from: { id: '29:guest' } })))).toBe('29:guest');
    const elsewhere = { channelId: 'webchat', from: { id: 'u', aadObjectId: 'megan' } };
    expect(personOf(placeOf(activityOf(elsewhere)))).toBe('webchat:u');
    expect(personOf(placeOf(activityOf({ from: undefined })))).toBe('');
  });

  it.each([
    ['in a channel without a mention', 'channel', {}, true],
    ['in a channel with the mention of another', 'channel', { entities: [mentionOf('megan')] }, true],
    ['in a channel with its mention', 'channel', { entities: [mentionOf('megan'), mentionOf('bot')] }, false],
    ['in a channel from a button', 'channel', { value: { dialog: 'lookup' } }, false],
    ['in a personal chat', 'personal', {}, false],
    ['in a group chat without a mention', 'groupChat', {}, true],
    ['in a group of no kind', undefined, { conversation: { id: 'c', isGroup: true } }, true],
    ['in a channel with a value of null', 'channel', { value: null }, true],
    ['in a chat of no kind', undefined, { conversation: { id: 'c' } }, false],
  ])('is addressed to others: %s', (_, conversationType, changes, overheard) => {
    const conversation = { id: 'c', conversationType };
    expect(reading.isUnaddressed(activityOf({ conversation, ...changes }))).toBe(overheard);
  });
});

it('what a button sends is a value without a text, with the id of its card', () => {
  const value = { dialog: 'lookup', text: 'AA:BB' };
  const submission = { data: value, cardId: 'card-1' };
  for (const text of [undefined, '', ' \n'])
    expect(submissionOf(activityOf({ value, text, replyToId: 'card-1' }))).toEqual(submission);
  for (const other of [undefined, null, [value], 'help'])
    expect(submissionOf(activityOf({ value: other }))).toBeUndefined();
  expect(submissionOf(activityOf({ value, text: 'lookup' }))).toBeUndefined();
});

it("a place is where a message's sender asked, with its zone", () => {
  const conversation = { id: 'c;messageid=1', tenantId: 'tenant' };
  const asked = activityOf({ conversation, localTimezone: 'Europe/Berlin' });
  const place = placeOf(asked);
  const { serviceUrl } = asked;
  const there = { serviceUrl, channelId: 'msteams', conversation };
  const reference = { ...there, activityId: 'message-1' };
  expect(place).toMatchObject({ reference, timeZone: 'Europe/Berlin' });
  expect(placeOf(activityOf({}))).not.toHaveProperty('timeZone');
});

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
  expect(reading.readMessageContent(message as Partial<Activity>).text).toBe(read),
);

const read = (message: object) => reading.readMessageContent(message as Partial<Activity>);
it('a message is read in its first 32 KB', () => {
  const first = { text: expect.stringMatching(/^x.{30000,32768}$/), isCut: true };
  expect(read({ text: 'x '.repeat(20_000) })).toMatchObject(first);
});

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
  const text = '<quoted messageId="1"/>';
  it.each<[object, quoted: string, hasUnseen?: boolean]>([
    [{ entities }, 'AA:BB'],
    [{ text, attachments: [quoteOf('')], entities }, 'AA:BB'],
    [{ text }, '', true],
    [{ text: '<blockquote>AA:BB</blockquote>what?' }, 'AA:BB'],
    [{ entities: [{ type: 'mention', text: 'AA:BB', mentioned: { id: 'x' }, quotedReply: {} }] }, ''],
  ])('is read from a preview, and once from two forms of a quote: %j', (message, quoted, hasUnseen = false) =>
    expect(read(message)).toMatchObject({ quoted, hasUnseen }),
  );

  it('is read in a time that grows as it grows, however deep', () => {
    const deep = `${'['.repeat(120_000)}"AA:BB"${']'.repeat(120_000)}`;
    const many = Array.from({ length: 5000 }, () => quoteOf('AA:BB'));
    const ms = timeOf(() => {
      for (const kind of ['hero', 'adaptive'])
        expect(reading.readAttachment(card(kind, deep))?.text).toContain('AA:BB');
      expect(reading.readContent(deep)).toContain('AA:BB');
      for (const contentType of ['messageReference', 'text/html']) readOne({ contentType, content: deep });
      expect(read({ attachments: many }).quoted).toHaveLength(5000 * 6 - 1);
    });
    expect(ms).toBeLessThan(2000);
  });
});
