import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { startSignedProcess } from '../start-signed.ts';
import { cpuMsOf, rssOf } from '../usage-of.ts';

const ALERTS_TOKEN = 'canary-alerts-token';
const TENANT = 'tenant-of-the-team';
const bot = await startSignedProcess({
  nac: () => sessionXml({}),
  settings: { ALERTS_TOKEN, ALLOWED_TENANTS: TENANT, ADMINS: 'nobody', PERSONAL_SIGN_IN: '' },
});
const PERSONAL = { id: 'chat', conversationType: 'personal', tenantId: TENANT };

async function connected(count: number) {
  const port = Number(new URL(bot.url).port);
  const open = () => connect(port, '127.0.0.1').on('error', () => {}); // The bot may end it.
  const sockets = Array.from({ length: count }, () => open().resume());
  await Promise.all(sockets.map((each) => once(each, 'connect')));
  return sockets;
}

/**
 * The most memory that the bot took, and the longest time that it needed to answer. Only time in which the bot computed
 * counts, because the machine is shared, with the senders too.
 */
async function watch(): Promise<{ mb: number; ms: number }> {
  const most = { mb: 0, ms: 0 };
  for (let look = 0; look < 20; look++) {
    const begun = { at: performance.now(), cpuMs: cpuMsOf(bot.app) };
    await fetch(`${bot.url}/healthz`, { signal: AbortSignal.timeout(20_000) });
    const ms = Math.min(performance.now() - begun.at, cpuMsOf(bot.app) - begun.cpuMs);
    most.ms = Math.max(most.ms, ms);
    most.mb = Math.max(most.mb, rssOf(bot.app));
    await delay(100); // Between two looks.
  }
  return most;
}

const STRANGER = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const HALF = Buffer.alloc(255 * 1024, '[{"a1":{}},');

/** Strangers may cost 100 MB. Bodies of those with a token have a room of 16 MB for each route. */
it.each<[who: string, maxMb: number, path: string, token: () => string]>([
  ['without a token', 100, '/api/messages', () => ''],
  ['with a forged token', 100, '/api/messages', () => bot.channel.issue({ key: STRANGER })],
  ['with a valid token', 150, '/api/messages', () => bot.channel.issue({})],
  ['with the token of alerts', 150, '/api/alerts', () => ALERTS_TOKEN],
])('1,000 half-sent bodies %s cost at most %i MB', { timeout: 300_000 }, async (_, maxMb, path, token) => {
  const before = rssOf(bot.app);
  const sockets = await connected(1000);
  const authorization = token() && `Authorization: Bearer ${token()}\r\n`;
  const type = 'Content-Type: application/json\r\nContent-Length: 262000\r\n';
  for (const each of sockets) {
    each.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${type}${authorization}\r\n`);
    each.write(HALF);
  }
  const { mb, ms } = await watch();
  const closed = sockets.map((each) => each.closed || once(each, 'close'));
  for (const each of sockets) each.destroy();
  await Promise.all(closed);
  expect(mb - before).toBeLessThan(maxMb);
  expect(ms).toBeLessThan(1500);
  expect((await bot.say('help', { conversation: PERSONAL })).status).toBe(200);
  expect([bot.calls, bot.posts(), bot.app.child.exitCode]).toEqual([[], [], null]);
});
