import type { Activity } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import type { Message, Place } from '../../dialogs/render/message.ts';
import { piecesFor, placeOf } from '../../src/teams/activity.ts';
import { expectWellFormedCard } from '../dialogs/cards.ts';
import { activityOf } from './activities.ts';

const CARD = { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: 'Connected' }] };
const MESSAGE: Message = { text: '`AA:BB`: connected.', card: CARD, summary: 'connected' };

const shown = (content: object) => {
  const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', content }];
  return { type: 'message', attachments, summary: 'connected' };
};
const sent = (message: Message, place = asked()): Partial<Activity> =>
  JSON.parse(piecesFor(message, place)[0].body);
const shownIn = (message: Message, channelId?: unknown) =>
  piecesFor(message, asked({ channelId })).map((piece) => piece.message);

it('a message with a card is shown as its card where cards are shown', () => {
  expect(sent(MESSAGE)).toMatchObject(shown(CARD));
  for (const channelId of ['msteams', 'webchat', 'directline', 'emulator'])
    expect(shownIn(MESSAGE, channelId)).toEqual([MESSAGE]);
  for (const channelId of ['sms', 'slack', 'email', 'MSTEAMS', '', undefined, null, 7])
    expect(shownIn(MESSAGE, channelId)).toEqual([{ text: MESSAGE.text }]);
});

it('a message whose card is too large is sent as its text, in pieces', () => {
  const line = 'x'.repeat(99);
  const text = Array.from({ length: 500 }, () => line).join('\n');
  const pieces = shownIn({ ...MESSAGE, text, card: { ...CARD, body: [{ text }] } }, 'msteams');
  expect(pieces.map(({ card }) => card)).toEqual([undefined, undefined]);
  expect(pieces.map(({ text }) => text).join('\n')).toBe(text);
});

it('a message with a card may have 40,000 characters, everything counted', () => {
  const fitting = 40_000 - JSON.stringify(sent({ ...MESSAGE, summary: '' })).length;
  const cardOf = (length: number) => shownIn({ ...MESSAGE, summary: 'x'.repeat(length) }, 'msteams')[0]?.card;
  expect([cardOf(fitting), cardOf(fitting + 1)]).toEqual([CARD, undefined]);
});

it('a message without a card is markdown, in pieces of 28,000', () => {
  const lengths = (pieces: Message[]) => pieces.map(({ text }) => text.length);
  for (const channelId of ['msteams', 'sms'])
    expect(lengths(shownIn({ text: 'x'.repeat(70_000) }, channelId))).toEqual([28_000, 28_000, 14_000]);
  expect(sent({ text: '`x`' })).toMatchObject({ type: 'message', text: '`x`', textFormat: 'markdown' });
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
    expect(sent(TEXT)).toMatchObject(markdown);
  });

  it('with a card has the mention in the card, and no text', () => {
    const activity = sent(LATE);
    const head = { type: 'TextBlock', text: "<at>Megan O'Brien</at>", wrap: true };
    const content = { ...CARD, body: [head, ...CARD.body], msteams: { entities: [MENTION] } };
    expect(activity).toMatchObject(shown(content));
    const { msteams, ...card } = Object(activity.attachments?.[0]?.content);
    expectWellFormedCard(card);
    expect(LATE.card).not.toHaveProperty('msteams');
  });

  it('can mention several people, also two of one name', () => {
    const named = (...names: string[]) => names.map((name, at) => ({ id: name && `29:${at}`, name }));
    const all = [...mentions, ...named('Alex', '<at>Alex', '')];
    const { text, entities } = sent({ text: 'x', mentions: all });
    expect(text).toBe("<at>Megan O'Brien</at> <at>Alex</at> <at>atAlex</at>  \nx");
    expect(entities).toHaveLength(3);
    const both = sent({ text: 'x', mentions: named('Alex', 'Alex') });
    expect(both.text).toBe('<at>Alex</at> <at>Alex 2</at>  \nx');
  });

  it('mentions nobody in a personal chat', () => {
    const at = asked({ conversation: { id: 'c', conversationType: 'personal' } });
    expect(sent(TEXT, at)).toEqual(sent({ text: MESSAGE.text }, at));
    expect(sent(LATE, at)).toEqual(sent(MESSAGE, at));
  });

  it('has no mention in cards of another chat service', () => {
    const at = asked({ channelId: 'webchat', conversation: { id: 'c', isGroup: true } });
    expect(sent(LATE, at)).toEqual(sent(MESSAGE, at));
    expect(sent(TEXT, at)).toHaveProperty('entities', [MENTION]);
  });

  it('in pieces mentions in the first alone', () => {
    const pieces = shownIn({ ...TEXT, text: 'x'.repeat(30_000) }, 'msteams');
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
  const { text, entities } = sent({ ...TEXT, mentions: [{ id: '29:x', name }] });
  expect(text).toBe(`<at>${shown}</at>  \n${TEXT.text}`);
  expect(entities).toEqual([mentionOf('29:x', shown)]);
});

function asked(changes: object = {}): Place {
  const activity = activityOf({ conversation: SHARED, from: MEGAN, ...changes });
  return JSON.parse(JSON.stringify(placeOf(activity)));
}
