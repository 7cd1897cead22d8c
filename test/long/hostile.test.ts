import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { APP_PASSWORD, startSignedProcess } from '../start-signed.ts';
import { cpuMsOf, rssOf } from '../usage-of.ts';

const SECRETS = {
  NAC_PASSWORD: 'canary-nac-password',
  WEBHOOK_TOKEN: 'sandbox-room',
  ALERTS_TOKEN: 'canary-alerts-token',
};
const TENANT = 'tenant-of-the-team';
const EXPOSED = { ALLOWED_TENANTS: TENANT, ADMINS: 'nobody', PERSONAL_SIGN_IN: '' };
const bot = await startSignedProcess({
  nac: () => sessionXml({}),
  settings: { ...SECRETS, ...EXPOSED, NAC_TIMEOUT_MS: '3000', NAC_HISTORY: '0', LOG_LEVEL: 'trace' },
});
const received: string[] = [];

const socket = () => connect(Number(new URL(bot.url).port), '127.0.0.1').on('error', () => {}); // The bot may end it.

async function send(text: string) {
  const conversation = { id: 'chat', conversationType: 'personal', tenantId: TENANT };
  const answer = await bot.say(text, { conversation });
  received.push(answer.text);
  return answer;
}

async function request(path: string, init: RequestInit): Promise<number> {
  const response = await fetch(`${bot.url}${path}`, { signal: AbortSignal.timeout(20_000), ...init });
  received.push(JSON.stringify([...response.headers]), await response.text());
  return response.status;
}

/** Sends raw bytes; returns the answer received until the connection ended, or a second passed. */
async function raw(bytes: string): Promise<string> {
  const connection = socket();
  let text = '';
  connection.on('data', (chunk) => {
    text += chunk;
  });
  connection.write(bytes);
  await once(connection, 'close', { signal: AbortSignal.timeout(1000) }).catch(() => {}); // Or a reset.
  connection.destroy();
  received.push(text);
  return text;
}

const actions = () => [bot.calls.length, bot.posts().length];

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
const wireAttacks: Readonly<Record<string, () => Promise<string[]>>> = {
  async 'malformed requests'() {
    const answers = await Promise.all(MALFORMED.map((request) => raw(request)));
    return answers.filter((answer) => /^HTTP\/1\.1 2/.test(answer));
  },
  'half-sent bodies without a token': () => sendHalf(MAX_MB, '/api/messages', ''),
  'half-sent bodies with a forged token': () =>
    sendHalf(MAX_MB, '/api/messages', bot.channel.issue({ key: STRANGER })),
  'half-sent bodies with a valid token': () =>
    sendHalf(MAX_WITH_TOKEN_MB, '/api/messages', bot.channel.issue({})),
  'half-sent bodies with the token of alerts': () =>
    sendHalf(MAX_WITH_TOKEN_MB, '/api/alerts', 'canary-alerts-token'),
};

async function sendHalf(maxMb: number, path: string, token: string): Promise<string[]> {
  const before = rssOf(bot.app);
  const sockets = await connected(1000);
  const authorization = token && `Authorization: Bearer ${token}\r\n`;
  const type = 'Content-Type: application/json\r\nContent-Length: 262000\r\n';
  for (const each of sockets) {
    each.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${type}${authorization}\r\n`);
    each.write(HALF);
  }
  const { mb, ms } = await watch();
  const closed = sockets.map((each) => each.closed || once(each, 'close'));
  for (const each of sockets) each.destroy();
  await Promise.all(closed);
  const { status } = await send('help');
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
async function watch(): Promise<{ mb: number; ms: number }> {
  let mb = 0;
  let ms = 0;
  for (let look = 0; look < 20; look++) {
    const begun = { at: performance.now(), cpuMs: cpuMsOf(bot.app) };
    await request('/healthz', {});
    ms = Math.max(ms, Math.min(performance.now() - begun.at, cpuMsOf(bot.app) - begun.cpuMs));
    mb = Math.max(mb, rssOf(bot.app));
    await delay(100); // Between two looks.
  }
  return { mb, ms };
}

async function connected(count: number) {
  const sockets = Array.from({ length: count }, () => socket().resume());
  await Promise.all(sockets.map((each) => once(each, 'connect')));
  return sockets;
}

describe('open to the whole internet', { timeout: 300_000 }, () => {
  it('an allowed person is answered', async () => {
    const { status, texts } = await send('lookup AA:BB:CC:DD:EE:FF');
    expect([status, texts.join()]).toEqual([200, expect.stringContaining('Corp_Wired_Access')]);
    expect(actions()).toEqual([1, 1]);
  });

  it.each(Object.entries(wireAttacks))(
    '%s cause no fault and no call, and the bot still answers',
    async (_, run) => {
      const before = actions();
      expect(await run()).toEqual([]);
      expect(actions()).toEqual(before);
      const begun = performance.now();
      expect(await request('/healthz', {})).toBe(200);
      expect(performance.now() - begun).toBeLessThan(2000);
      expect(bot.app.child.exitCode).toBeNull();
    },
  );

  it('no secret has leaked', () => {
    const everything = [...received, ...bot.log, JSON.stringify(bot.replies)].join('\n');
    for (const secret of [APP_PASSWORD, ...Object.values(SECRETS), ...bot.authority.tokens])
      expect(everything.includes(secret)).toBe(false);
  });
});
