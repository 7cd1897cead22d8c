import { expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { openBotServer } from './bot-server.ts';

const ALERTS = {
  token: new Secret('a-long-alerts-token'),
  accept: async () => 'accepted' as const,
  onError() {},
};

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
  const { ask, post, log } = await openBotServer();
  for (let number = 0; number < 150; number++) {
    await post('{', { 'x-forwarded-for': `203.0.113.${number}` });
    await ask({ path: `/${number}` });
  }
  vi.advanceTimersByTime(60_000);
  const lines = warned(log);
  expect(lines.length).toBeLessThanOrEqual(20);
  expect(lines.map(({ count = 1 }) => Number(count)).reduce((sum, each) => sum + each)).toBe(300);
  expect(lines.flatMap(({ addresses }) => addresses)).toContain('203.0.113.7');
  await post('{');
  expect(warned(log).at(-1)).toMatchObject({ status: 400, msg: 'request refused' });
});
