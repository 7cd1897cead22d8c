import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ACTIVITY, type Answered, type BotServer, openBotServer } from './bot-server.ts';

const MAX_BYTES = 262_144;
const JSON_TYPE = { 'content-type': 'application/json' };
const TOO_LARGE = 'canary'.repeat(MAX_BYTES / 6 + 1);
const EVIL = { ...ACTIVITY, serviceUrl: 'https://canary.example/', text: 'canary' };

/** Expects this status, nothing of the request in the answer, one log line, no call of the bot, and the next request served. */
async function expectRefused(server: BotServer, answered: Answered, status: number): Promise<void> {
  expect(answered.status).toBe(status);
  expect(JSON.stringify(answered)).not.toContain('canary');
  expect(server.log.filter((line) => line.status === status)).toHaveLength(1);
  expect(JSON.stringify(server.log)).not.toContain('canary');
  expect(server.activities).toEqual([]);
  expect((await server.post(ACTIVITY)).status).toBe(200);
  expect(server.activities).toHaveLength(1);
}

const FORM = 'application/x-www-form-urlencoded';
const TYPES = ['text/plain', FORM, 'multipart/form-data; boundary=canary', 'application/json5'];
const KINDS = [
  {},
  ...TYPES.map((type) => ({ 'content-type': type })),
  ...['gzip', 'identity', ''].map((encoding) => ({ ...JSON_TYPE, 'content-encoding': encoding })),
];
it.each(KINDS)('a request is refused, first by its kind: %j: 415', async (headers) => {
  for (const body of [JSON.stringify(EVIL), gzipSync(JSON.stringify(EVIL)), TOO_LARGE]) {
    const server = await openBotServer();
    const answered = await server.ask({ method: 'POST', path: '/api/messages', headers, body });
    await expectRefused(server, answered, 415);
  }
});

describe('then by its size', () => {
  const pour = (outgoing: ClientRequest) =>
    void pipeline(Readable.from(Array(64).fill(TOO_LARGE)), outgoing).catch(() => {});
  it.each<[string, Record<string, string | number>, (outgoing: ClientRequest) => void]>([
    ['declared, and sent', { 'content-length': TOO_LARGE.length }, (outgoing) => outgoing.end(TOO_LARGE)],
    ['declared, and never sent', { 'content-length': MAX_BYTES + 1 }, (outgoing) => outgoing.flushHeaders()],
    ['in chunks, and never ended', {}, (outgoing) => outgoing.write(TOO_LARGE)],
    ['in chunks, far too large', {}, pour],
  ])('%s: 413, and the connection is closed', async (_, headers, write) => {
    const server = await openBotServer();
    const all = { ...JSON_TYPE, ...headers };
    const answered = await server.ask({ method: 'POST', path: '/api/messages', headers: all, write });
    expect(answered.headers.connection).toBe('close');
    await expectRefused(server, answered, 413);
  });

  it.each([{}, { 'transfer-encoding': 'chunked' }])(
    `over exactly ${MAX_BYTES} bytes: %j`,
    async (headers) => {
      const { post } = await openBotServer();
      const rest = MAX_BYTES - JSON.stringify({ ...ACTIVITY, text: '' }).length;
      expect((await post({ ...ACTIVITY, text: 'x'.repeat(rest) }, headers)).status).toBe(200);
      expect((await post({ ...ACTIVITY, text: 'x'.repeat(rest + 1) }, headers)).status).toBe(413);
    },
  );
});

const BODIES = [
  ...['', 'canary', '{"type":"canary"', '{}{}', JSON.stringify([EVIL]), '"canary"', 'null', '{}'],
  ...['latin1', 'utf16le'].map((charset) =>
    Buffer.from(JSON.stringify({ ...ACTIVITY, text: 'ÿ' }), charset as 'latin1'),
  ),
  ...['['.repeat(100_000), JSON.stringify(EVIL).replace('"canary"', '['.repeat(64) + ']'.repeat(64))],
];
it.each(BODIES.map((body) => [String(body).slice(0, 40), body] as const))(
  'then by its form: %j: 400',
  async (_, body) => {
    const server = await openBotServer();
    await expectRefused(server, await server.post(body), 400);
  },
);

const FORBIDDEN = ['https://canary.example/', 'http://smba.trafficmanager.net/', 'file:///canary', 'canary'];
it.each(FORBIDDEN)('then by the address for replies: %s: 403', async (serviceUrl) => {
  const server = await openBotServer();
  await expectRefused(server, await server.post({ ...EVIL, serviceUrl }), 403);
});

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

  it('another value counts as an empty list, and a missing one stays missing', async () => {
    for (const name of ['entities', 'attachments', 'membersAdded', 'membersRemoved']) {
      for (const odd of [null, 5, 'x', {}, { 0: MENTION, length: 1 }, true])
        expect((await given({ [name]: odd }))?.[name]).toEqual([]);
      expect(await given({})).not.toHaveProperty(name);
    }
  });
});

describe('other fields', () => {
  it('of another shape count as missing', async () => {
    for (const name of ['text', 'locale', 'localTimezone', 'replyToId', 'from', 'recipient'])
      for (const odd of [null, 5, [], true])
        expect((await given({ [name]: odd }))?.[name], name).toBeUndefined();
    const conversation = { id: 'chat', conversationType: null };
    expect((await given({ conversation }))?.conversation).toEqual({ id: 'chat' });
  });

  it('a recipient of another shape still says that the message is targeted', async () => {
    for (const odd of [{ isTargeted: true }, { id: 5, isTargeted: true }])
      expect((await given({ recipient: odd }))?.recipient).toMatchObject({ isTargeted: true });
  });

  it('fields that nobody reads pass unchanged', async () => {
    const value = JSON.parse('['.repeat(63) + ']'.repeat(63)); // As deep as an activity may be.
    const rest = { value, channelData: 'x', action: 'add', name: 'x', timestamp: false };
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
        expect((await post({ ...EVIL, [name]: odd })).status, name).toBe(400); // Before the address is judged.
    expect(activities).toEqual([]);
  });
});
