import { expect, it, vi } from 'vitest';
import { metricsOf, opsPort, readyzOf } from '../serve.ts';
import { type Bot, startBot } from '../start-bot.ts';
import { newDatabase, runIn } from '../store/postgres.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const WRONG = { NAC_PASSWORD: 'wrong', TICKET_PASSWORD: 'wrong' };
const RESTS =
  /^not asked\. The NAC refused the bot's credentials\. I leave them alone for (?:1 min|\d+ s)( \d+ s)? more/;

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
    await vi.waitFor(() => rests(other), { timeout: 6000, interval: 50 });
    for (let count = 0; count < 3; count++) expect(await other.ask(LOOKUP)).toMatch(RESTS);
    // The ticket's refusal comes in a row of its own, a moment later.
    const status = async () => (await other.say('status')).texts[0];
    await expect.poll(status).toMatch(/ticket: refused; not asked again for \d/);
    expect(await status()).toMatch(/the NAC refused these credentials; they rest for \d/);
  }
  expect(first.calls).toHaveLength(1);
  const rows = await runIn(url, "select key from nac_lookup_bot.kept where kind = 'refusal' order by key");
  expect(rows).toEqual([{ key: '["NAC","sandbox"]' }, { key: '["ticket","sandbox"]' }]);
});
