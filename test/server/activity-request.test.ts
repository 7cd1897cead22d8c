import { describe, expect, it } from 'vitest';
import { ACTIVITY, openBotServer } from './bot-server.ts';

/** The activity that the bot receives for these fields. */
async function given(fields: object): Promise<Record<string, unknown> | undefined> {
  const { post, activities } = await openBotServer();
  expect((await post({ ...ACTIVITY, ...fields })).status).toBe(200);
  return activities[0] as Record<string, unknown> | undefined;
}

const MENTION = { type: 'mention', text: '<at>NAC</at>', mentioned: { id: 'bot', name: 'NAC' } };
const QUOTE = { type: 'quotedReply', quotedReply: { preview: 'AA:BB', messageId: '1' } };
const CARD = { contentType: 'x', content: { any: 1 } };
const HTML = { contentType: 'text/html', content: '<p>x</p>', name: 'x' };
const BOT = { id: 'bot', name: 'NAC', aadObjectId: 'object-1' };

it('the content type is accepted with parameters, and in capitals', async () => {
  const { post } = await openBotServer();
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', ' application/json ;x=y'])
    expect((await post(ACTIVITY, { 'content-type': type })).status, type).toBe(200);
});

describe('list items with the right shape reach the bot, others are dropped', () => {
  it.each<[string, unknown[], unknown[]]>([
    ['entities', [null, 5, 'x', [], { type: 'clientInfo' }, { type: { toString: 5, valueOf: 5 } }], []],
    ['entities', [{ ...MENTION, mentioned: null }, { ...MENTION, text: 5 }, MENTION], [MENTION]],
    ['entities', [{ type: 'quotedReply' }, { ...QUOTE, quotedReply: { preview: {} } }, QUOTE], [QUOTE]],
    ['attachments', [null, 5, 'x', [], {}, { contentType: 7 }, HTML, CARD], [HTML, CARD]],
    ['membersAdded', [null, 5, 'bot', {}, { id: 5 }, { id: 'x', name: 7 }, BOT], [{ id: 'x' }, BOT]],
    ['membersRemoved', [null, { name: 'x' }, BOT], [BOT]],
  ])('%s: %j', async (name, items, kept) => {
    expect((await given({ [name]: items }))?.[name]).toEqual(kept);
  });

  it.each(['entities', 'attachments', 'membersAdded', 'membersRemoved'])(
    '%s that are not a list count as an empty list, and missing ones stay missing',
    async (name) => {
      for (const odd of [null, 5, 'x', {}, { 0: MENTION, length: 1 }, true])
        expect((await given({ [name]: odd }))?.[name]).toEqual([]);
      expect(await given({})).not.toHaveProperty(name);
    },
  );
});

describe('other fields', () => {
  it('of another shape count as missing', async () => {
    for (const name of ['text', 'locale', 'localTimezone', 'replyToId', 'from', 'recipient'])
      for (const odd of [null, 5, [], true])
        expect((await given({ [name]: odd }))?.[name], name).toBeUndefined();
  });

  it('a recipient of another shape still says that the message is targeted', async () => {
    for (const odd of [{ isTargeted: true }, { id: 5, isTargeted: true }])
      expect((await given({ recipient: odd }))?.recipient).toMatchObject({ isTargeted: true });
  });

  it('fields that nobody reads pass unchanged', async () => {
    const rest = { value: { dialog: 'help' }, channelData: 'x', action: 'add', name: 'x', timestamp: false };
    expect(await given(rest)).toMatchObject(rest);
  });

  it('ids, locales and addresses of any form reach no database', async () => {
    const { post, activities } = await openBotServer();
    const names = ['id', 'replyToId', 'channelId', 'locale', 'localTimezone', 'serviceUrl'];
    for (const odd of ['x'.repeat(1001), 'a\0b', '\ud800'])
      for (const changes of [
        ...names.map((name) => ({ [name]: odd })),
        ...['id', 'tenantId'].map((name) => ({ conversation: { id: 'c', [name]: odd } })),
        ...['id', 'aadObjectId', 'tenantId'].map((name) => ({ from: { id: 'u', [name]: odd } })),
        { recipient: { id: odd } },
      ])
        expect((await post({ ...ACTIVITY, ...changes })).status, JSON.stringify(changes)).toBe(400);
    expect(activities).toEqual([]);
    expect((await post({ ...ACTIVITY, id: 'x'.repeat(1000) })).status).toBe(200);
  });

  it('that are required are refused with 400 in another shape', async () => {
    const { post, activities } = await openBotServer();
    for (const name of ['type', 'id', 'channelId', 'serviceUrl', 'conversation'])
      for (const odd of [undefined, null, 5, '', ' ', '\t\n', '\ufeff', [], {}, { id: '' }, ['msteams']])
        expect((await post({ ...ACTIVITY, [name]: odd })).status, name).toBe(400);
    expect(activities).toEqual([]);
  });
});
