import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { closedUrl, metricsOf, opsPort, readyzOf, serve } from '../serve.ts';
import { FAST, openStage, type Stage, stageForTest } from '../stage.ts';
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

const HOUR = 3_600_000;
const EIGHT = Array.from({ length: 8 }, (_, n) => `00:1B:54:00:01:0${n}`);

/** Eight people ask one bot each while the NAC is down. @returns what waits for their answers */
async function askEight({ say, replies }: Stage): Promise<() => Promise<unknown>> {
  for (const [n, address] of EIGHT.entries()) {
    const asked = { id: randomUUID(), channelId: 'sms', from: { id: `user-${n}` } };
    expect((await say(`lookup ${address}`, asked)).texts[0]).toContain('I keep trying for 10 minutes');
  }
  const answers = () => replies.slice(EIGHT.length).map(({ activity }) => String(activity.text));
  return () =>
    vi.waitFor(() => {
      expect(answers()).toEqual(EIGHT.map(() => expect.stringMatching(/: (no session|connected)/)));
    }, 30_000);
}

const startNac = (url: string) =>
  serve(createNac({ accounts: [SERVICE_ACCOUNT] }).server, Number(new URL(url).port));

it('lookups that wait for the NAC are answered, whatever the clocks of two bots on one server say', async () => {
  const settings = { DATABASE_URL: await newDatabase(), NAC_URL: await closedUrl() };
  const bots = await Promise.all([stageForTest(settings, FAST), stageForTest(settings, FAST)]);
  bots[0].skip(12 * 60_000);
  bots[1].skip(25 * HOUR);
  const answered = [await askEight(bots[0]), await askEight(bots[1])];
  await startNac(settings.NAC_URL);
  for (const each of answered) await each();
});

it('lookups that wait for the NAC are answered though the wall clock jumps by 25 hours', async () => {
  const NAC_URL = await closedUrl();
  const stage = await stageForTest({ NAC_URL }, FAST);
  const answered = await askEight(stage);
  stage.setAhead(25 * HOUR);
  await startNac(NAC_URL);
  await answered();
});
