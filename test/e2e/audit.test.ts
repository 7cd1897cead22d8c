import { expect, it, vi } from 'vitest';
import { FAST, startBot } from '../start-bot.ts';
import { NOC, nameChannel } from './alertmanager.ts';

const KNOWN = 'AA:BB:CC:DD:EE:FF';
const UNKNOWN = '00:1B:54:00:00:99';
const FORBIDDEN = '00:1B:54:00:04:03';

it('a silent bot logs the audit alone, of a person and of an alert', async () => {
  const bot = await startBot({ settings: { LOG_LEVEL: 'silent' } });
  await bot.say(`lookup ${KNOWN} ${UNKNOWN}`);
  await nameChannel(bot);
  await bot.alert(`port down ${UNKNOWN}`, NOC);
  await vi.waitFor(() => expect(bot.log).toHaveLength(3), 20_000);
  const alert = { by: 'alert', alert: 'noc', conversation: '19:noc@thread.tacv2', posted: 'yes' };
  expect(bot.logged('audit')).toMatchObject([
    { asked: KNOWN },
    { asked: UNKNOWN },
    { asked: UNKNOWN, ...alert },
  ]);
});

it('a silent bot without an audit logs nothing', async () => {
  const bot = await startBot({ settings: { LOG_LEVEL: 'silent', AUDIT: '0' } });
  expect((await bot.say(`lookup ${FORBIDDEN}`)).texts[0]).toMatch(/^Report number \d{6}\./m);
  expect(bot.log).toEqual([]);
});

it('each line about a lookup has the number that its answer names', async () => {
  const bot = await startBot({ settings: { WEBHOOK_TOKEN: 'gone' } });
  const { texts } = await bot.say(`lookup ${KNOWN} ${FORBIDDEN}`);
  const number = Number(/Report number (\d{6})\./.exec(texts.at(-1) ?? '')?.[1]);
  const failed = { number, level: 30, asked: FORBIDDEN, outcome: 'forbidden' };
  expect(bot.logged('a lookup failed')).toMatchObject([failed]);
  expect(bot.logged('not posted')).toMatchObject([{ number, level: 30, outcome: 'not found' }]);
});

it('each line about an alert and its jobs has one number', async () => {
  const bot = await startBot({ ...FAST, settings: { WEBHOOK_TOKEN: 'gone' } });
  await nameChannel(bot);
  await bot.alert(`port down ${FORBIDDEN}`, NOC);
  await vi.waitFor(() => expect(bot.logged('not posted')).not.toEqual([]), 20_000);
  await vi.waitFor(() => expect(bot.logged('audit')).not.toEqual([]), 20_000);
  const [audit] = bot.logged('audit');
  expect(bot.logged('a lookup failed')).toMatchObject([{ number: audit?.number, asked: FORBIDDEN }]);
  expect(bot.logged('not posted')).toMatchObject([{ number: audit?.number }]);
});
