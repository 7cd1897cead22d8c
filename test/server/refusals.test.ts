import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ACTIVITY, type Answered, type BotServer, openBotServer } from './bot-server.ts';

const MOST = 262_144;
const JSON_TYPE = { 'content-type': 'application/json' };
const TOO_LARGE = 'canary'.repeat(MOST / 6 + 1);
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

/** The JSON with a byte that UTF-8 forbids in place of each question mark. */
function notUtf8(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value)).map((byte) => (byte === 0x3f ? 0xff : byte)) as Buffer;
}

describe('a request is refused, first by its kind', () => {
  const packed = (encoding: string) => ({ ...JSON_TYPE, 'content-encoding': encoding });
  it.each<[string, Record<string, string>, string | Buffer]>([
    ['no content type', {}, JSON.stringify(EVIL)],
    ['text', { 'content-type': 'text/plain' }, JSON.stringify(EVIL)],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'canary=1'],
    ['multipart', { 'content-type': 'multipart/form-data; boundary=canary' }, '--canary\r\n'],
    ['a type that begins alike', { 'content-type': 'application/json5' }, 'canary'],
    ['gzip', packed('gzip'), gzipSync(JSON.stringify(ACTIVITY))],
    ['identity', packed('identity'), JSON.stringify(ACTIVITY)],
    ['an encoding without a name', packed(''), JSON.stringify(ACTIVITY)],
    ['gzip, and too large', packed('gzip'), TOO_LARGE],
  ])('%s: 415', async (_, headers, body) => {
    const server = await openBotServer();
    const answered = await server.ask({ method: 'POST', path: '/api/messages', headers, body });
    await expectRefused(server, answered, 415);
  });
});

describe('then by its size', () => {
  it.each<[string, Record<string, string | number>, (outgoing: ClientRequest) => void]>([
    ['declared, and sent', { 'content-length': TOO_LARGE.length }, (outgoing) => outgoing.end(TOO_LARGE)],
    ['declared, and never sent', { 'content-length': MOST + 1 }, (outgoing) => outgoing.flushHeaders()],
    ['in chunks, and never ended', {}, (outgoing) => outgoing.write(TOO_LARGE)],
    [
      'in chunks, far too large',
      {},
      (outgoing) => void pipeline(Readable.from(Array(64).fill(TOO_LARGE)), outgoing).catch(() => {}),
    ],
  ])('%s: 413, and the connection is closed', async (_, headers, write) => {
    const server = await openBotServer();
    const all = { ...JSON_TYPE, ...headers };
    const answered = await server.ask({ method: 'POST', path: '/api/messages', headers: all, write });
    expect(answered.headers.connection).toBe('close');
    await expectRefused(server, answered, 413);
  });

  it.each([{}, { 'transfer-encoding': 'chunked' }])(`over exactly ${MOST} bytes: %j`, async (headers) => {
    const { post } = await openBotServer();
    const rest = MOST - JSON.stringify({ ...ACTIVITY, text: '' }).length;
    expect((await post({ ...ACTIVITY, text: 'x'.repeat(rest) }, headers)).status).toBe(200);
    expect((await post({ ...ACTIVITY, text: 'x'.repeat(rest + 1) }, headers)).status).toBe(413);
  });
});

describe('then by its form', () => {
  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['no JSON', 'canary'],
    ['JSON that ends early', '{"type":"canary"'],
    ['two values', '{}{}'],
    ['bytes that are no UTF-8', notUtf8({ ...ACTIVITY, text: 'canary?' })],
    ['UTF-16', Buffer.from(JSON.stringify(ACTIVITY), 'utf16le')],
    ['an array', JSON.stringify([EVIL])],
    ['a string', '"canary"'],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['arrays in arrays', '['.repeat(100_000)],
    ['65 levels', JSON.stringify(EVIL).replace('"canary"', '['.repeat(64) + ']'.repeat(64))],
    ...['type', 'id', 'channelId', 'conversation'].map((name): [string, string] => [
      `no ${name}, before its service address is checked`,
      JSON.stringify({ ...EVIL, [name]: undefined }),
    ]),
  ])('%s: 400', async (_, body) => {
    const server = await openBotServer();
    await expectRefused(server, await server.post(body), 400);
  });
});

it.each(['https://canary.example/', 'http://smba.trafficmanager.net/', 'file:///canary', 'canary'])(
  'then by the address for replies: %s: 403',
  async (serviceUrl) => {
    const server = await openBotServer();
    await expectRefused(server, await server.post({ ...EVIL, serviceUrl }), 403);
  },
);

it('the next request is answered after any path', async () => {
  const { ask, post } = await openBotServer();
  for (const path of ['/%E0%A4%A', '/%', '//', '/api/messages/../canary', '/canary?canary=%']) {
    expect(String((await ask({ path })).status), path).toMatch(/^4\d\d$/);
    expect((await post(ACTIVITY)).status).toBe(200);
  }
});
