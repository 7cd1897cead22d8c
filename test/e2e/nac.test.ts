import { expect, it } from 'vitest';
import { inThread, TEXT } from '../replies.ts';
import { metricsOf, opsPort, readyzOf } from '../serve.ts';
import { type Bot, startBot } from '../start-bot.ts';
import { newDatabase, runIn } from '../store/postgres.ts';
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
  const { texts } = await bot.say('00:1B:54:00:00:21', TEXT);
  const record = ['The NAC knows it: group `Profiled`.', 'Maker: `Cisco Systems, Inc`'];
  expect(texts[0]?.split(/ *\n/)).toEqual([expect.stringMatching(words), ...record]);
  expect(bot.otherCalls.filter(({ path }) => path.includes('/AuthStatus/'))).toHaveLength(calls);
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

const WRONG = { NAC_PASSWORD: 'wrong', TICKET_PASSWORD: 'wrong' };
const RESTS =
  /^not asked\. The NAC refused the bot's credentials\. I leave them alone for (?:[12] minutes?|\d+ seconds) more/;

const startReplica = async (DATABASE_URL: string, other?: Bot) =>
  startBot({
    settings: { ...other?.sandbox.environment, ...WRONG, DATABASE_URL, OPS_PORT: await opsPort() },
  });

async function rests(bot: Bot): Promise<void> {
  expect(await metricsOf(bot.app)).toMatchObject({ nac_lookup_bot_nac_credentials_resting: 1 });
  expect(await readyzOf(bot)).toMatchObject({ parts: { nac: 'failing' } });
}

it('after one of three replicas was refused, none calls the NAC', async () => {
  const url = await newDatabase();
  const first = await startReplica(url);
  const others = [await startReplica(url, first), await startReplica(url, first)];
  expect(await first.ask(LOOKUP)).toContain('credentials refused');
  expect(await first.ask('status')).toContain('ticket: refused by the ticket service');
  for (const other of others) {
    await until(() => rests(other));
    for (let count = 0; count < 3; count++) expect(await other.ask(LOOKUP)).toMatch(RESTS);
    // The ticket's refusal comes in a row of its own, a moment later.
    const status = async () => (await other.say('status')).texts[0];
    await expect.poll(status).toMatch(/ticket: refused; not asked again for \d/);
    expect(await status()).toMatch(/NAC: failing.*; its credentials rest for \d/);
  }
  expect(first.calls).toHaveLength(1);
  const rows = await runIn(url, "select key from nac_lookup_bot.kept where kind = 'refusal' order by key");
  expect(rows).toEqual([{ key: '["NAC","sandbox"]' }, { key: '["ticket","sandbox"]' }]);
});
