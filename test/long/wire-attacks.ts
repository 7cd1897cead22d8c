import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningBot } from '../../src/sandbox/sandbox.ts';
import type { TokenChanges } from '../teams/authentication/identity.ts';
import { cpuMsOf, rssOf } from '../usage-of.ts';

/** A bot that is attacked. Everything that it answers is searched for secrets. */
export type HostileBot = {
  app: RunningBot;
  /** Makes a token of the channel. */
  issue(changes: TokenChanges): string;
  /** Sends a message with a valid token. */
  send(text: string): Promise<{ status: number; texts: string[] }>;
  /** Returns the status. */
  request(path: string, init: RequestInit): Promise<number>;
  /** Sends raw bytes; returns the answer received until the connection ended, or a second passed. */
  raw(bytes: string): Promise<string>;
  socket(): Socket;
};

const POST = 'POST /api/messages HTTP/1.1\r\nHost: x\r\n';
const POST_JSON = `${POST}Content-Type: application/json\r\n`;

const MALFORMED = [
  'GET / HTTP/1.1\r\n\r\n',
  'GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /%00%ff HTTP/1.1\r\nHost: x\r\n\r\n',
  '\u0000\u0001\u0002',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  `${POST_JSON}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n`,
  `${POST_JSON}Content-Length: -1\r\n\r\n`,
  `${POST_JSON}Content-Length: 99999999999999999999\r\n\r\n{}`,
  `${POST_JSON}Transfer-Encoding: chunked\r\n\r\nZZZ\r\n`,
  `${POST_JSON}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n`,
  `${POST}X: ${'x'.repeat(100_000)}\r\n\r\n`,
  `${POST}${'A: b\r\n'.repeat(20_000)}\r\n`,
  `${POST_JSON}Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n${'\u001f\u008b'.repeat(10)}`,
];

const HALF = Buffer.alloc(255 * 1024, '[{"a1":{}},');
/** How much memory strangers may cost; and those with a token, whose bodies have a room of 16 MB for each route. */
const MAX_MB = 100;
const MAX_WITH_TOKEN_MB = 150;

const STRANGER = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** Attacks by name, for which nobody needs to be allowed. Each returns its faults in words. */
export const wireAttacks: Readonly<Record<string, (bot: HostileBot) => Promise<string[]>>> = {
  async 'malformed requests'({ raw }) {
    const answers = await Promise.all(MALFORMED.map((request) => raw(request)));
    return answers.filter((answer) => /^HTTP\/1\.1 2/.test(answer));
  },
  'half-sent bodies without a token': (bot) => sendHalf(bot, MAX_MB, '/api/messages', ''),
  'half-sent bodies with a forged token': (bot) =>
    sendHalf(bot, MAX_MB, '/api/messages', bot.issue({ key: STRANGER })),
  'half-sent bodies with a valid token': (bot) =>
    sendHalf(bot, MAX_WITH_TOKEN_MB, '/api/messages', bot.issue({})),
  'half-sent bodies with the token of alerts': (bot) =>
    sendHalf(bot, MAX_WITH_TOKEN_MB, '/api/alerts', 'canary-alerts-token'),
  'hostile alerts, with the token': sendAlerts,
};

async function sendHalf(bot: HostileBot, maxMb: number, path: string, token: string): Promise<string[]> {
  const before = rssOf(bot.app);
  const sockets = await connected(bot, 1000);
  const authorization = token && `Authorization: Bearer ${token}\r\n`;
  const type = 'Content-Type: application/json\r\nContent-Length: 262000\r\n';
  for (const each of sockets) {
    each.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${type}${authorization}\r\n`);
    each.write(HALF);
  }
  const { mb, ms } = await watch(bot);
  const closed = sockets.map((each) => each.closed || once(each, 'close'));
  for (const each of sockets) each.destroy();
  await Promise.all(closed);
  const { status } = await bot.send('help');
  return [
    ...(mb - before > maxMb ? [`${Math.round(mb - before)} MB more`] : []),
    ...(ms > 1500 ? [`/healthz took ${Math.round(ms)} ms`] : []),
    ...(status === 200 ? [] : [`the next message got ${status}`]),
  ];
}

/**
 * The most memory that the bot took, and the longest time that it needed to answer. Only time in which the bot computed
 * counts, because the machine is shared, with the senders too.
 */
async function watch({ app, request }: HostileBot): Promise<{ mb: number; ms: number }> {
  let mb = 0;
  let ms = 0;
  for (let look = 0; look < 20; look++) {
    const begun = { at: performance.now(), cpuMs: cpuMsOf(app) };
    await request('/healthz', {});
    ms = Math.max(ms, Math.min(performance.now() - begun.at, cpuMsOf(app) - begun.cpuMs));
    mb = Math.max(mb, rssOf(app));
    await delay(100); // Between two looks.
  }
  return { mb, ms };
}

async function connected({ socket }: HostileBot, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => socket().resume());
  await Promise.all(sockets.map((each) => once(each, 'connect')));
  return sockets;
}

type Case = [status: number, body: object | string, path?: string];

const group = (changes: object) => ({ groupKey: 'k', status: 'resolved', alerts: [], ...changes });

/** Bodies without an address from a sender that knows the token; `test/server` has what is refused. */
const ALERTS: readonly Case[] = [
  [404, { text: 'x', thread: 'x'.repeat(100_000) }],
  [404, {}, '/api/alerts/%00'],
  [404, {}, '/api/alerts?thread=%F0%9F%92%A9%00'],
  [202, '{"__proto__":{"text":"x"},"constructor":{"prototype":{}}}'],
  [202, group({ groupKey: 'x'.repeat(900_000) })],
  [202, group({ groupKey: '\ud800\u0000' })],
  [202, group({ alerts: Array.from({ length: 10_000 }, () => ({ labels: 1, startsAt: {} })) })],
  ...['00:'.repeat(300_000), '<a '.repeat(300_000), '&lt;'.repeat(200_000)].map(
    (text): Case => [202, JSON.stringify(text)],
  ),
];

async function sendAlerts({ request }: HostileBot): Promise<string[]> {
  const faults: string[] = [];
  const headers = { 'content-type': 'application/json', authorization: 'Bearer canary-alerts-token' };
  for (const [index, [expected, content, path = '/api/alerts']] of ALERTS.entries()) {
    const begun = performance.now();
    const body = typeof content === 'string' ? content : JSON.stringify(content);
    const status = await request(path, { method: 'POST', headers, body });
    const ms = Math.round(performance.now() - begun);
    if (status !== expected || ms > 3000) faults.push(`${index} got ${status}, after ${ms} ms`);
  }
  return faults;
}
