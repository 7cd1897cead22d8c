import { expect, it, onTestFinished, vi } from 'vitest';
import { metricsOf, opsPort, readyzOf } from '../serve.ts';
import { openStage, type Stage } from '../stage.ts';
import { newDatabase, runIn } from '../store/postgres.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const RESTS =
  /^not asked\. The NAC refused the bot's credentials\. I leave them alone for (?:1 min|\d+ s)( \d+ s)? more/;

/** A bot with a wrong password, beside another: on one database, for one NAC and the same exchanges. */
async function openReplica(url: string, other?: Stage) {
  const stage = await openStage({
    ...other?.sandbox.environment,
    DATABASE_URL: url,
    NAC_PASSWORD: 'wrong',
    TICKET_PASSWORD: 'wrong',
    OPS_PORT: await opsPort(),
  });
  onTestFinished(stage.close);
  const rests = async () => {
    expect(await metricsOf(stage.bot)).toMatchObject({ nac_lookup_bot_nac_credentials_resting: 1 });
    expect(await readyzOf(stage.bot)).toMatchObject({ parts: { nac: 'failing' } });
  };
  return Object.assign(stage, { rests: () => vi.waitFor(rests, { timeout: 6000, interval: 50 }) });
}

it('of three bots on one database, after one was refused, none makes a further call for a minute, and each says so', async () => {
  const url = await newDatabase();
  const first = await openReplica(url);
  const others = [await openReplica(url, first), await openReplica(url, first)];
  expect((await first.say(LOOKUP)).texts[0]).toContain('credentials refused');
  expect((await first.say('status')).texts[0]).toContain('ticket: refused by the ticket service');
  for (const other of others) {
    await other.rests();
    for (let count = 0; count < 3; count++) expect((await other.say(LOOKUP)).texts[0]).toMatch(RESTS);
    // The ticket's refusal is told by a row of its own, a moment later.
    const status = async () => (await other.say('status')).texts[0];
    await expect.poll(status).toMatch(/ticket: refused; not asked again for \d/);
    expect(await status()).toMatch(/the NAC refused these credentials; they rest for \d/);
  }
  expect(first.sandbox.nacCalls).toHaveLength(1);
  const rows = await runIn(url, "select key from nac_lookup_bot.kept where kind = 'refusal' order by key");
  expect(rows).toEqual([{ key: '["NAC","sandbox"]' }, { key: '["ticket","sandbox"]' }]);
});
