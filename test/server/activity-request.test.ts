import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ACTIVITY, type Ask, openBotServer } from './bot-server.ts';

const MAX_BYTES = 262_144;
const TYPE = { 'content-type': 'application/json' };
const LARGE = 'canary'.repeat(MAX_BYTES / 6 + 1);
const EVIL = { ...ACTIVITY, serviceUrl: 'https://canary.example/', text: 'canary' };
const evil = JSON.stringify(EVIL);

const TYPES = `text/plain, application/x-www-form-urlencoded, multipart/form-data; boundary=canary, application/json5`;
const KINDS = [
  {},
  ...TYPES.split(', ').map((type) => ({ 'content-type': type })),
  ...['gzip', 'identity', ''].map((encoding) => ({ ...TYPE, 'content-encoding': encoding })),
];
const pour = (to: ClientRequest) => void pipeline(Readable.from(Array(64).fill(LARGE)), to).catch(() => {});
const SIZES: Ask[] = [
  { headers: { 'content-length': LARGE.length }, write: (to) => to.end(LARGE) },
  { headers: { 'content-length': MAX_BYTES + 1 }, write: (to) => to.flushHeaders() },
  { write: (to) => void to.write(LARGE) },
  { write: pour },
];
const latin = Buffer.from(JSON.stringify({ ...ACTIVITY, text: 'ÿ' }), 'latin1');
const FORMS = [
  ...['', 'canary', '{"type":"canary"', '{}{}', `[${evil}]`, '"canary"', 'null', '{}', '['.repeat(100_000)],
  ...[latin, Buffer.from(evil, 'utf16le'), evil.replace('"canary"', '['.repeat(64) + ']'.repeat(64))],
];
const FORBIDDEN = ['https://canary.example/', 'http://smba.trafficmanager.net/', 'file:///canary', 'canary'];

it.each<[status: number, why: string, asks: Ask[]]>([
  [415, 'kind', KINDS.flatMap((headers) => [evil, gzipSync(evil), LARGE].map((body) => ({ headers, body })))],
  [413, 'size', SIZES.map((each) => ({ ...each, headers: { ...TYPE, ...each.headers } }))],
  [400, 'form', FORMS.map((body) => ({ headers: TYPE, body }))],
  [
    403,
    'address',
    FORBIDDEN.map((serviceUrl) => ({ headers: TYPE, body: JSON.stringify({ ...EVIL, serviceUrl }) })),
  ],
])('%i refuses a request for its %s, and the next one is served', async (status, _, asks) => {
  for (const ask of asks) {
    const server = await openBotServer();
    const answered = await server.ask({ method: 'POST', path: '/api/messages', ...ask });
    expect(answered.status, JSON.stringify(ask).slice(0, 200)).toBe(status);
    expect(server.log.filter((line) => line.status === status)).toHaveLength(1);
    expect(JSON.stringify([answered, server.log])).not.toContain('canary');
    expect(server.activities).toEqual([]);
    expect((await server.post(ACTIVITY)).status).toBe(200);
    expect(server.activities).toHaveLength(1);
  }
});

it.each([{}, { 'transfer-encoding': 'chunked' }])('a body may have 256 KB: %j', async (headers) => {
  const { post } = await openBotServer();
  const text = 'x'.repeat(MAX_BYTES - JSON.stringify({ ...ACTIVITY, text: '' }).length);
  expect((await post({ ...ACTIVITY, text }, headers)).status).toBe(200);
  expect((await post({ ...ACTIVITY, text: `${text}x` }, headers)).status).toBe(413);
});

it('the content type is accepted with parameters, and in capitals', async () => {
  const { post } = await openBotServer();
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', ' application/json ;x=y'])
    expect((await post(ACTIVITY, { 'content-type': type })).status, type).toBe(200);
});

async function received(fields: object): Promise<Record<string, unknown>> {
  const { post, activities } = await openBotServer();
  expect((await post({ ...ACTIVITY, ...fields })).status).toBe(200);
  return { ...activities[0] };
}

const MENTION = { type: 'mention', text: '<at>NAC</at>', mentioned: { id: 'bot', name: 'NAC' } };
const QUOTE = { type: 'quotedReply', quotedReply: { preview: 'AA:BB', messageId: '1' } };
const CARD = { contentType: 'x', content: { any: 1 } };
const HTML = { contentType: 'text/html', content: '<p>x</p>', name: 'x' };
const BOT = { id: 'bot', name: 'NAC', aadObjectId: 'object-1' };

describe('an activity reaches the bot', () => {
  it.each<[string, unknown, unknown]>([
    ['entities', [null, 5, 'x', [], { type: 'clientInfo' }, { type: { toString: 5, valueOf: 5 } }], []],
    ['entities', [{ ...MENTION, mentioned: null }, { ...MENTION, text: 5 }, MENTION], [MENTION]],
    ['entities', [{ type: 'quotedReply' }, { ...QUOTE, quotedReply: { preview: {} } }, QUOTE], [QUOTE]],
    ['attachments', [null, 5, 'x', [], {}, { contentType: 7 }, HTML, CARD], [HTML, CARD]],
    ['membersAdded', [null, 5, 'bot', {}, { id: 5 }, { id: 'x', name: 7 }, BOT], [{ id: 'x' }, BOT]],
    ['conversation', { id: 'chat', conversationType: null }, { id: 'chat' }],
    ['recipient', { isTargeted: true }, { isTargeted: true }],
    ['recipient', { id: 5, isTargeted: true }, expect.objectContaining({ isTargeted: true })],
  ])('with its %s of the right shape alone: %j', async (name, sent, kept) =>
    expect((await received({ [name]: sent }))[name]).toEqual(kept),
  );

  it('with an empty list for another value, and none for a missing one', async () => {
    for (const name of ['entities', 'attachments', 'membersAdded']) {
      for (const odd of [null, 5, 'x', {}, { 0: MENTION, length: 1 }, true])
        expect((await received({ [name]: odd }))[name]).toEqual([]);
      expect(await received({})).not.toHaveProperty(name);
    }
  });

  it('without optional fields of another shape', async () => {
    for (const name of ['text', 'locale', 'localTimezone', 'replyToId', 'timestamp', 'from', 'recipient'])
      for (const odd of [null, 5, [], true])
        expect((await received({ [name]: odd }))[name], name).toBeUndefined();
  });

  it('with the fields that nobody reads unchanged', async () => {
    const value = JSON.parse('['.repeat(63) + ']'.repeat(63)); // As deep as an activity may be.
    const rest = { value, channelData: 'x', action: 'add', name: 'x', summary: false };
    expect(await received(rest)).toMatchObject(rest);
  });

  it('without ids and locales that no database takes, or not', async () => {
    const { post, activities } = await openBotServer();
    for (const odd of ['x'.repeat(1001), 'a\0b', '\ud800']) {
      for (const name of ['id', 'channelId', 'serviceUrl'])
        expect((await post({ ...ACTIVITY, [name]: odd })).status, name).toBe(400);
      expect((await post({ ...ACTIVITY, conversation: { id: odd } })).status).toBe(400);
    }
    expect(activities).toEqual([]);
    const odd = 'a\0b';
    const conversation = { id: 'c', tenantId: odd };
    const [from, recipient] = [{ id: 'u', aadObjectId: odd, tenantId: odd }, { id: odd }];
    const others = { replyToId: odd, locale: odd, localTimezone: odd };
    const kept = await received({ conversation, from, recipient, ...others, id: 'x'.repeat(1000) });
    expect(JSON.stringify(kept)).not.toContain('\\u0000');
    expect(kept).toMatchObject({ from: { id: 'u' }, conversation: { id: 'c' } });
  });

  it('not without a required field, which is judged before the address', async () => {
    const { post, activities } = await openBotServer();
    for (const name of ['type', 'id', 'channelId', 'serviceUrl', 'conversation'])
      for (const odd of [undefined, null, 5, '', ' ', '\t\n', '\ufeff', [], {}, { id: '' }, ['msteams']])
        expect((await post({ ...EVIL, [name]: odd })).status, name).toBe(400);
    expect(activities).toEqual([]);
  });
});
