import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../src/domain/secret.ts';
import { ACTIVITY, openBotServer } from './server/bot-server.ts';

it('a message is answered 200 without a body after its turn', async () => {
  const begun = Promise.withResolvers<void>();
  const turn = Promise.withResolvers<{ status: number }>();
  const answer = () => {
    begun.resolve();
    return turn.promise;
  };
  const { post, url, activities } = await openBotServer({ answer });
  const settled = vi.fn();
  const answered = post({ ...ACTIVITY, text: 'lookup' }).finally(settled);
  await begun.promise;
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(settled).not.toHaveBeenCalled();
  turn.resolve({ status: 200 });
  expect(await answered).toMatchObject({ status: 200, body: '' });
  expect(activities).toMatchObject([{ ...ACTIVITY, text: 'lookup' }]);
});

it("an invoke is answered with its turn's status and body", async () => {
  const answer = async () => ({ status: 412, body: { statusCode: 412 } });
  const { post } = await openBotServer({ answer });
  const { status, body } = await post({ ...ACTIVITY, type: 'invoke' });
  expect([status, JSON.parse(body)]).toEqual([412, { statusCode: 412 }]);
});

const success = Object.assign(new Error('canary'), { statusCode: 200 });
it.each([new Error('canary'), 'canary', success])('a turn failing with %o is a plain 500', async (fault) => {
  const { post, ask } = await openBotServer({ answer: () => Promise.reject(fault) });
  const answered = await post(ACTIVITY);
  expect(answered.status).toBe(500);
  expect(JSON.stringify(answered)).not.toContain('canary');
  expect((await ask({ path: '/healthz' })).status).toBe(200);
});

it.each([
  ['/healthz', true, 200, { status: 'ok' }],
  ['/readyz', true, 200, { status: 'ready', parts: { nac: 'failing' } }],
  ['/readyz', false, 503, { status: 'not ready', parts: { nac: 'failing' } }],
])('GET %s of a bot that is ready (%s): %i', async (path, ready, status, body) => {
  const parts = [{ part: 'nac', state: 'failing' }];
  const { ask } = await openBotServer({ readiness: () => ({ ready, parts }) });
  const answered = await ask({ path });
  expect([answered.status, JSON.parse(answered.body)]).toEqual([status, body]);
});

it('tokens off: a Host on loopback is answered, else any', async () => {
  const refused = { kind: 'refused', status: 401, reason: 'x' } as const;
  const [{ ask }, open] = [await openBotServer(), await openBotServer({ checkToken: async () => refused })];
  for (const host of ['localhost', '127.0.0.1:3978', '[::1]:3978'])
    expect((await ask({ path: '/healthz', headers: { host } })).status, host).toBe(200);
  expect((await open.ask({ path: '/healthz', headers: { host: 'bot.example.com' } })).status).toBe(200);
});

it.each(['canary.example:127', '[::2]', 'canary@'])('tokens off: the Host %j is refused', async (host) => {
  const { ask, post, activities, log } = await openBotServer();
  const all = ['/healthz', '/readyz', '/', '/api/messages'].map((path) => ask({ path, headers: { host } }));
  const answers = await Promise.all([...all, post(ACTIVITY, { host })]);
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  expect(JSON.stringify(answers)).not.toContain('canary');
  expect(activities).toEqual([]);
  expect(log.filter(({ reason }) => reason === 'host')).toHaveLength(5);
  expect((await ask({ path: '/healthz' })).status).toBe(200);
});

it.each(['1.0', '1.1\r\nhost:\r\nconnection: close'])('tokens off: no Host is refused: %j', async (rest) => {
  const { url } = await openBotServer();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`GET /healthz HTTP/${rest}\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
});

it('an upgrade to another protocol is answered in this one, and closed', async () => {
  const { post } = await openBotServer();
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQ' };
  expect(await post(ACTIVITY, headers)).toMatchObject({ status: 200, headers: { connection: 'close' } });
});

it('answers do not name the software, and any path leaves the server up', async () => {
  const { ask, post } = await openBotServer();
  for (const path of ['/x', '/%E0%A4%A', '/%', '//', '/api/messages/../canary', '/canary?canary=%']) {
    const answered = await ask({ path });
    expect(String(answered.status), path).toMatch(/^4\d\d$/);
    expect((await post(ACTIVITY)).status).toBe(200);
    for (const each of [answered, await post('{')])
      expect(JSON.stringify(each)).not.toMatch(/restify|node|express/i);
  }
});

const token = new Secret('a-long-alerts-token');
const ALERTS = { token, accept: async () => 'accepted' as const, onError() {} };

/** restify's own lines are finer. */
const warned = (log: ReadonlyArray<Record<string, unknown>>) => log.filter(({ level }) => level === 40);

it('a refused request is logged with its sender and its alert', async () => {
  const { ask, post, log } = await openBotServer({ alerts: ALERTS });
  await post('{', { 'x-forwarded-for': '192.0.2.1, 203.0.113.9' });
  await ask({ method: 'POST', path: '/api/alerts/core?token=canary', body: '{}' });
  await ask({ method: 'POST', path: '/api/message?token=canary' });
  const msg = 'request refused';
  expect(warned(log)).toMatchObject([
    { level: 40, status: 400, from: '127.0.0.1', forwardedFor: '203.0.113.9', msg },
    { level: 40, status: 401, from: '127.0.0.1', alert: 'core', msg },
    { level: 40, status: 404, reason: 'no such route: POST /api/message', from: '127.0.0.1', msg },
  ]);
  expect(JSON.stringify(warned(log))).not.toContain('canary');
});

it('300 requests of a scanner leave at most 20 lines, with their count', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { ask, post, log } = await openBotServer({ alerts: ALERTS });
  for (let number = 0; number < 150; number++) {
    await post('{', { 'x-forwarded-for': `203.0.113.${number}` });
    await ask({ path: `/${number}` });
  }
  await ask({ method: 'POST', path: '/api/alerts/core', body: '{}' });
  expect(warned(log).at(-1)).toMatchObject({ alert: 'core', msg: 'request refused' }); // Scanners hide no alert.
  vi.advanceTimersByTime(60_000);
  const lines = warned(log).filter(({ alert }) => !alert);
  expect(lines.length).toBeLessThanOrEqual(20);
  expect(lines.map(({ count = 1 }) => Number(count)).reduce((sum, each) => sum + each)).toBe(300);
  expect(lines.flatMap(({ addresses }) => addresses)).toContain('203.0.113.7');
  for (let number = 0; number < 7; number++) await post('{');
  expect(warned(log).at(-1)).toMatchObject({ status: 400, msg: 'request refused' });
  vi.advanceTimersByTime(60_000); // The seventh has no line of its own before.
  const counted = { status: 400, count: 1, addresses: ['127.0.0.1'], msg: 'requests refused' };
  expect(warned(log).at(-1)).toMatchObject(counted);
});
