import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { inThread } from '../replies.ts';
import { startBot } from '../start-bot.ts';
import { newFolder } from '../store/engines.ts';
import { newDatabase } from '../store/postgres.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const ABSENT = '00:1B:54:00:00:21';

it('a failing NAC is left alone by a flood of alerts, not by others', async () => {
  const device = (number: number) => `00:1B:54:00:88:${String(number).padStart(2, '0')}`;
  const timing = { lookups: { firstMs: 100, maxMs: 500 } };
  const bot = await startBot({ nac: () => 500, settings: { NAC_HISTORY: '0' }, timing });
  await bot.say('alerts here as flood', inThread('19:noc@thread.tacv2;messageid=1'));
  for (let alert = 0; alert < 10; alert++) {
    const macs = Array.from({ length: 8 }, (_, index) => device(8 * alert + index)).join(' ');
    expect((await bot.alert(`down: ${macs}`, { thread: 'flood' })).status).toBe(202);
  }
  await vi.waitFor(() => expect(bot.calls.length).toBeGreaterThanOrEqual(5));
  bot.clock.skip(10 * 60_000); // The alerts are posted without an answer.
  await vi.waitFor(() => expect(bot.replies.length).toBeGreaterThan(10), 20_000);
  expect(bot.calls.length).toBeLessThan(15);
  expect((await bot.say(`lookup ${device(99)}`)).texts.join()).toContain('HTTP status 500');
});

it.each([
  [
    '1',
    1,
    /no session\. Refused at least 10 times, last 7 minutes ago on `sw-floor2-17 Gi1\/0\/15`: .* \(22056\)\.$/,
  ],
  ['0', 0, /no session\. The NAC knows of no current session\. Is the/],
])('NAC_HISTORY=%s costs %i calls where there is no session', async (...row) => {
  const [NAC_HISTORY, calls, words] = row;
  const bot = await startBot({ settings: { NAC_HISTORY } });
  const { texts } = await bot.say(ABSENT, { channelId: 'sms' });
  expect(texts[0]?.split(/ *\n/)).toEqual([
    expect.stringMatching(words),
    'The NAC knows it: group `Profiled`.',
    'Maker: `Cisco Systems, Inc`',
  ]);
  expect(bot.sisterCalls.filter(({ path }) => path.includes('/AuthStatus/'))).toHaveLength(calls);
});

it('a connected device costs no call but the one for its session', async () => {
  const bot = await startBot();
  await bot.say(LOOKUP);
  expect([bot.calls.length, bot.sisterCalls]).toEqual([1, []]);
});

it('a NAC without a call for attempts is left alone for an hour', async () => {
  const nac = (_: string, path: string) => (path.includes('/AuthStatus/') ? 404 : undefined);
  const bot = await startBot({ nac });
  await bot.say(ABSENT);
  expect(bot.log.join()).toContain('it is left alone for an hour');
});

it("the bot's refused credentials rest until their file changes", async () => {
  const NAC_PASSWORD_FILE = join(await newFolder(), 'nac-password');
  await writeFile(NAC_PASSWORD_FILE, 'wrong\n');
  const bot = await startBot({ settings: { NAC_PASSWORD: '', NAC_PASSWORD_FILE } });
  expect((await bot.say(LOOKUP)).texts[0]).toMatch(
    /^credentials refused\. .* I do not try them again for \d+ s\./,
  );
  const many = await Promise.all(Array.from({ length: 5 }, () => bot.say('lookup 00:1B:54:00:00:01')));
  expect(many[0]?.texts[0]).toMatch(/^not asked\. .* I leave them alone for \d+ s more, /);
  expect(bot.calls).toHaveLength(1);
  expect((await bot.say('status')).texts[0]).toContain('the NAC refused these credentials; they rest for');
  await writeFile(NAC_PASSWORD_FILE, 'sandbox\n');
  const isConnected = async () => expect((await bot.say(LOOKUP)).texts[0]).toContain('connected.');
  await vi.waitFor(isConnected, { timeout: 5000, interval: 200 }); // A file is read at most once a second.
});

it.each([
  ['SQLite', async () => ''],
  ['Postgres', newDatabase],
])('a refused account is used once a minute over any restarts on %s', async (_, database) => {
  const bot = await startBot({ settings: { NAC_PASSWORD: 'wrong', DATABASE_URL: await database() } });
  for (let restart = 0; restart < 6; restart++) {
    expect((await bot.say(LOOKUP)).texts[0]).toMatch(/^credentials refused|^not asked/);
    await bot.restart();
  }
  expect(bot.calls).toHaveLength(1);
});

it("connecting runs a person's lookups under that account", async () => {
  const bot = await startBot();
  await bot.say('connect');
  const form = { username: 'alex', password: 'alex' };
  expect((await bot.press('Connect', { typed: form })).texts[1]).toMatch(
    /^Connected as `alex` until .+\n\nAPI key: issued, until .+ {2}\nticket: issued, until .+$/,
  );
  const [own] = (await bot.say(LOOKUP)).texts;
  const [other] = (await bot.say(LOOKUP, { from: { id: 'user-2', name: 'Patti' } })).texts;
  await bot.say('disconnect');
  const [after] = (await bot.say(LOOKUP)).texts;
  expect([own, other, after].map((text) => text?.includes(' · own account'))).toEqual([true, false, false]);
  expect(bot.posts().join()).not.toContain('own account');
  expect(bot.calls.map(({ username }) => username)).toEqual(['alex', 'sandbox', 'sandbox']);
});
