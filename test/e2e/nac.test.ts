import { expect, it } from 'vitest';
import { inThread } from '../replies.ts';
import { startBot } from '../start-bot.ts';
import { newDatabase } from '../store/postgres.ts';
import { until } from '../test-clock.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';

it('a failing NAC is left alone by a flood of alerts, not by others', async () => {
  const timing = { lookups: { firstMs: 100, maxMs: 500 } };
  const bot = await startBot({ nac: () => 500, settings: { NAC_HISTORY: '0' }, timing });
  await bot.say('alerts here as flood', inThread('19:noc@thread.tacv2;messageid=1'));
  for (let alert = 0; alert < 10; alert++) {
    const macs = Array.from({ length: 8 }, (_, index) => `00:1B:54:00:88:${8 * alert + index + 10}`);
    expect((await bot.alert(`down: ${macs.join(' ')}`, { thread: 'flood' })).status).toBe(202);
  }
  await until(() => expect(bot.calls.length).toBeGreaterThanOrEqual(5));
  bot.clock.skip(10 * 60_000); // The alerts are posted without an answer.
  await until(() => expect(bot.replies.length).toBeGreaterThan(10));
  expect(bot.calls.length).toBeLessThan(15);
  expect((await bot.say(LOOKUP)).texts.join()).toContain('HTTP status 500');
});

it.each([
  ['1', 1, /no session\. Refused at least 10 times, last 7 minutes ago on `sw-floor2-17 .*56\)\.$/],
  ['0', 0, /no session\. The NAC knows of no current session\. Is the/],
])('NAC_HISTORY=%s costs %i calls where there is no session', async (NAC_HISTORY, calls, words) => {
  const bot = await startBot({ settings: { NAC_HISTORY } });
  const { texts } = await bot.say('00:1B:54:00:00:21', { channelId: 'sms' });
  const record = ['The NAC knows it: group `Profiled`.', 'Maker: `Cisco Systems, Inc`'];
  expect(texts[0]?.split(/ *\n/)).toEqual([expect.stringMatching(words), ...record]);
  expect(bot.sisterCalls.filter(({ path }) => path.includes('/AuthStatus/'))).toHaveLength(calls);
});

it.each([
  ['SQLite', async () => ''],
  ['Postgres', newDatabase],
])('a refused account is used once a minute over any restarts on %s', async (_, database) => {
  const bot = await startBot({ settings: { NAC_PASSWORD: 'wrong', DATABASE_URL: await database() } });
  for (let restart = 0; restart < 6; restart++) {
    expect(await bot.ask(LOOKUP)).toMatch(/^credentials refused|^not asked/);
    await bot.restart();
  }
  expect(bot.calls).toHaveLength(1);
});
