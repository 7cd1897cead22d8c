import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
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
    ['a JSON dialect', { 'content-type': 'application/problem+json' }, 'canary'],
    ['gzip', packed('gzip'), gzipSync(JSON.stringify(ACTIVITY))],
    ['identity', packed('identity'), JSON.stringify(ACTIVITY)],
    ['an encoding without a name', packed(''), JSON.stringify(ACTIVITY)],
    ['gzip, and too large', packed('gzip'), TOO_LARGE],
    ['text, and too large', { 'content-type': 'text/plain' }, TOO_LARGE],
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
    ['declared, and begun', { 'content-length': 10 ** 12 }, (outgoing) => outgoing.write('{"canary')],
    ['in chunks, and ended', { 'transfer-encoding': 'chunked' }, (outgoing) => outgoing.end(TOO_LARGE)],
    ['in chunks, and never ended', {}, (outgoing) => outgoing.write(TOO_LARGE)],
    [
      'in chunks, far too large',
      {},
      (outgoing) => void pipeline(Readable.from(Array(64).fill(TOO_LARGE)), outgoing).catch(() => {}),
    ],
  ])('%s: 413, and the connection is closed', async (_, headers, write) => {
    const server = await openBotServer();
    const answered = await server.ask({
      method: 'POST',
      path: '/api/messages',
      headers: { ...JSON_TYPE, ...headers },
      write,
    });
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

describe('then by the address for replies', () => {
  it.each([
    'https://canary.example/',
    'https://trafficmanager.net/',
    'https://canarytrafficmanager.net/',
    'https://smba.trafficmanager.net.canary.example/',
    'https://canary:canary@smba.trafficmanager.net/',
    'http://smba.trafficmanager.net/',
    'http://127.0.0.1:8080/canary',
    'file:///canary',
    'canary',
  ])('%s: 403', async (serviceUrl) => {
    const server = await openBotServer();
    await expectRefused(server, await server.post({ ...EVIL, serviceUrl }), 403);
  });
});

describe('the next request is answered', () => {
  it('after a client that goes away in the middle of its body', async () => {
    const { url, post, activities } = await openBotServer();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head =
      'POST /api/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100';
    socket.write(`${head}\r\n\r\n{"canary`, () => socket.resetAndDestroy());
    await once(socket, 'close');
    expect((await post(ACTIVITY)).status).toBe(200);
    expect(activities).toHaveLength(1);
  });

  it.each(['/%E0%A4%A', '/%', '//', '/api/messages/../canary', '/canary?canary=%'])(
    'after %s',
    async (path) => {
      const { ask, post } = await openBotServer();
      expect(String((await ask({ path })).status)).toMatch(/^4\d\d$/);
      expect((await post(ACTIVITY)).status).toBe(200);
    },
  );
});
