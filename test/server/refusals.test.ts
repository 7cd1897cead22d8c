import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ACTIVITY, type Answered, type Ask, type BotServer, openBotServer } from './bot-server.ts';

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

function padded(bytes: number): Buffer {
  const rest = bytes - Buffer.byteLength(JSON.stringify({ ...ACTIVITY, text: '' }));
  return Buffer.from(JSON.stringify({ ...ACTIVITY, text: 'x'.repeat(rest) }));
}

/** The JSON with a byte that UTF-8 forbids in place of each question mark. */
function notUtf8(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value)).map((byte) => (byte === 0x3f ? 0xff : byte)) as Buffer;
}

describe('a request is refused, first by its kind', () => {
  it.each<[string, Record<string, string>, string | Buffer]>([
    ['no content type', {}, JSON.stringify(EVIL)],
    ['text', { 'content-type': 'text/plain' }, JSON.stringify(EVIL)],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'canary=1'],
    ['multipart', { 'content-type': 'multipart/form-data; boundary=canary' }, '--canary\r\n'],
    ['a type that begins alike', { 'content-type': 'application/json5' }, 'canary'],
    ['a JSON dialect', { 'content-type': 'application/problem+json' }, 'canary'],
    ['gzip', { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync(JSON.stringify(ACTIVITY))],
    ['gzip that is none', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'canary'],
    ['identity', { ...JSON_TYPE, 'content-encoding': 'identity' }, JSON.stringify(ACTIVITY)],
    ['an encoding without a name', { ...JSON_TYPE, 'content-encoding': '' }, JSON.stringify(ACTIVITY)],
    ['gzip, and too large', { ...JSON_TYPE, 'content-encoding': 'gzip' }, TOO_LARGE],
    ['text, and too large', { 'content-type': 'text/plain' }, TOO_LARGE],
  ])('%s: 415', async (_, headers, body) => {
    const server = await openBotServer();
    const answered = await server.ask({ method: 'POST', path: '/api/messages', headers, body });
    await expectRefused(server, answered, 415);
  });

  it('text, declared too large and never sent: 415', async () => {
    const server = await openBotServer();
    const headers = { 'content-type': 'text/plain', 'content-length': MOST + 1 };
    const answered = await server.ask({
      method: 'POST',
      path: '/api/messages',
      headers,
      write: (outgoing) => outgoing.flushHeaders(),
    });
    expect(answered.status).toBe(415);
  });
});

describe('then by its size', () => {
  const big = (
    write: (outgoing: ClientRequest) => void,
    headers: Record<string, string | number> = {},
  ): Ask => ({
    method: 'POST',
    path: '/api/messages',
    headers: { ...JSON_TYPE, ...headers },
    write,
  });

  it.each<[string, Ask]>([
    [
      'declared, and sent',
      big((outgoing) => outgoing.end(TOO_LARGE), { 'content-length': TOO_LARGE.length }),
    ],
    ['declared, and never sent', big((outgoing) => outgoing.flushHeaders(), { 'content-length': MOST + 1 })],
    ['declared, and begun', big((outgoing) => outgoing.write('{"canary'), { 'content-length': 10 ** 12 })],
    ['in chunks, and ended', big((outgoing) => outgoing.end(TOO_LARGE), { 'transfer-encoding': 'chunked' })],
    ['in chunks, and never ended', big((outgoing) => outgoing.write(TOO_LARGE))],
    [
      'in chunks, far too large',
      big((outgoing) => void pipeline(Readable.from(many()), outgoing).catch(() => {})),
    ],
  ])('%s: 413, and the connection is closed', async (_, ask) => {
    const server = await openBotServer();
    const answered = await server.ask(ask);
    expect(answered.headers.connection).toBe('close');
    await expectRefused(server, answered, 413);
  });

  it('closes the connection of a body that never ends', async () => {
    const server = await openBotServer();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const head = `POST /api/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${MOST + 1}\r\n\r\n{`;
    socket.write(head);
    let said = '';
    socket.on('data', (data) => {
      said += data;
    });
    await once(socket, 'close');
    expect(said).toMatch(/^HTTP\/1\.1 413 /);
  });

  it(`accepts exactly ${MOST} bytes and no more`, async () => {
    const server = await openBotServer();
    expect((await server.post(padded(MOST))).status).toBe(200);
    expect((await server.post(padded(MOST + 1))).status).toBe(413);
    expect((await server.post(padded(MOST), { 'transfer-encoding': 'chunked' })).status).toBe(200);
    expect((await server.post(padded(MOST + 1), { 'transfer-encoding': 'chunked' })).status).toBe(413);
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
    ['a number', '5'],
    ['an empty object', '{}'],
    ['arrays in arrays', '['.repeat(100_000)],
  ])('%s: 400', async (_, body) => {
    const server = await openBotServer();
    await expectRefused(server, await server.post(body), 400);
  });

  const without = ['type', 'id', 'channelId', 'serviceUrl', 'conversation'] as const;
  it.each([
    ...without.flatMap((name) =>
      [undefined, null, '', ' \t', 5, [], {}].map((value) => [name, value] as const),
    ),
    ...[undefined, null, '', '  ', 5, [], {}].map((id) => ['conversation', { id, name: 'canary' }] as const),
  ])('%s=%j: 400, before its service address is checked', async (name, value) => {
    const server = await openBotServer();
    await expectRefused(server, await server.post({ ...EVIL, [name]: value }), 400);
  });
});

describe('then by the address for replies', () => {
  it.each([
    'https://canary.example/',
    'https://trafficmanager.net/',
    'https://canarytrafficmanager.net/',
    'https://smba.trafficmanager.net.canary.example/',
    'https://canary@smba.trafficmanager.net/',
    'https://canary:canary@smba.trafficmanager.net/',
    'http://smba.trafficmanager.net/',
    'https://127.0.0.1/',
    'http://127.0.0.1:8080/canary',
    'http://localhost/',
    'ftp://smba.trafficmanager.net/',
    'file:///canary',
    'smba.trafficmanager.net',
    'canary',
  ])('%s: 403', async (serviceUrl) => {
    const server = await openBotServer();
    await expectRefused(server, await server.post({ ...EVIL, serviceUrl }), 403);
  });
});

describe('after a client that goes away', () => {
  it('in the middle of its body, the server answers the next request', async () => {
    const server = await openBotServer();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head =
      'POST /api/messages HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n';
    socket.write(`${head}{"canary`, () => socket.resetAndDestroy());
    await once(socket, 'close');
    expect((await server.post(ACTIVITY)).status).toBe(200);
    expect(server.activities).toHaveLength(1);
  });

  it.each(['/%E0%A4%A', '/%', '//', '/api/messages/../canary', '/canary?canary=%'])(
    'asked for %s, it answers the next request',
    async (path) => {
      const server = await openBotServer();
      const { status } = await server.ask({ path });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect((await server.post(ACTIVITY)).status).toBe(200);
    },
  );
});

function* many(): Generator<string> {
  for (let count = 0; count < 64; count++) yield TOO_LARGE;
}
