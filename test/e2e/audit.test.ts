import { expect, it } from 'vitest';
import { FAST, startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';
import { NOC, nameChannel } from './alertmanager.ts';

const KNOWN = 'AA:BB:CC:DD:EE:FF';
const FORBIDDEN = '00:1B:54:00:04:03';

it('a silent bot logs the audit alone, of a person and of an alert', async () => {
  const bot = await startBot({ settings: { LOG_LEVEL: 'silent' } });
  await bot.say(`lookup ${KNOWN}`);
  await nameChannel(bot);
  await bot.alert(`port down ${FORBIDDEN}`, NOC);
  await until(() => expect(bot.log).toHaveLength(2));
  const alert = { by: 'alert', alert: 'noc', conversation: '19:noc@thread.tacv2', posted: 'yes' };
  expect(bot.logged('audit')).toMatchObject([{ asked: KNOWN }, { asked: FORBIDDEN, ...alert }]);
});

it('a silent bot without an audit logs nothing', async () => {
  const bot = await startBot({ settings: { LOG_LEVEL: 'silent', AUDIT: '0' } });
  expect((await bot.say(`lookup ${FORBIDDEN}`)).texts[0]).toMatch(/^Report number \d{6}\./m);
  expect(bot.log).toEqual([]);
});

it.each(['lookup', 'alert'])('each line about a %s and its jobs has one number', async (way) => {
  const bot = await startBot({ ...FAST, settings: { WEBHOOK_TOKEN: 'gone' } });
  await nameChannel(bot);
  if (way === 'alert') await bot.alert(`port down ${FORBIDDEN}`, NOC);
  else await bot.say(`lookup ${KNOWN} ${FORBIDDEN}`);
  await until(() => expect(bot.logged('audit')).not.toEqual([]));
  await until(() => expect(bot.logged('not posted')).not.toEqual([]));
  const number = bot.logged('audit')[0]?.number;
  const failed = { number, level: 30, asked: FORBIDDEN, outcome: 'forbidden' };
  expect(bot.logged('a lookup failed')).toMatchObject([failed]);
  expect(bot.logged('not posted')).toMatchObject([{ number, level: 30, outcome: 'not found' }]);
  if (way === 'lookup')
    expect(bot.replies.map(({ activity }) => activity.summary).join()).toContain(` ${number}.`);
});
