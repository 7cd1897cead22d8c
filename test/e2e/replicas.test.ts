import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../src/sandbox/listen.ts';
import { openReadyStage, type Stage } from '../stage.ts';
import { newFolder } from '../store/engines.ts';
import { newDatabase, runIn } from '../store/postgres.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const RESTS =
  /^not asked\. The NAC refused the bot's credentials\. I leave them alone for (?:1 min|\d+ s)( \d+ s)? more/;

/** A bot with its own file for the password, beside another: on one database, for one NAC and the same exchanges. */
async function openReplica(url: string, password: string, other?: Stage) {
  const file = join(await newFolder(), 'password');
  await writeFile(file, password);
  const port = await freePort(0);
  const stage = await openReadyStage({
    ...other?.sandbox.environment,
    DATABASE_URL: url,
    NAC_PASSWORD: '',
    NAC_PASSWORD_FILE: file,
    TICKET_PASSWORD: 'wrong',
    OPS_PORT: String(port),
  });
  onTestFinished(stage.close);
  const isResting = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('\nnac_lookup_bot_nac_credentials_resting 1\n');
  };
  return Object.assign(stage, {
    /** Changes the password that this bot has for the NAC. */
    change: (changed: string) => writeFile(file, changed),
    async nacHealth() {
      const readyz = await fetch(`${stage.bot.url}/readyz`);
      return ((await readyz.json()) as { parts: { nac: string } }).parts.nac;
    },
    /** Waits until the NAC's account rests. */
    rests: () => vi.waitFor(isResting, { timeout: 6000, interval: 50 }),
  });
}

async function openReplicas(url: string, ...[one, two, three]: [string, string, string]) {
  const first = await openReplica(url, one);
  return [first, await openReplica(url, two, first), await openReplica(url, three, first)] as const;
}

describe('three bots on one database, after one of them was refused', { timeout: 120_000 }, () => {
  it('make no further call for a minute, and each of them says so', async () => {
    const url = await newDatabase();
    const [first, ...others] = await openReplicas(url, 'wrong', 'wrong', 'wrong');
    expect((await first.say(LOOKUP)).texts[0]).toContain('credentials refused');
    expect((await first.say('status')).texts[0]).toContain('ticket: refused by the ticket service');
    for (const other of others) {
      await other.rests();
      expect(await other.nacHealth()).toBe('failing');
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

  it('leave those alone that have another password: before, meanwhile or since', async () => {
    const [good, slip, changing] = await openReplicas(await newDatabase(), 'sandbox', 'wrong', 'wrong');
    expect((await good.say(LOOKUP)).texts[0]).toContain('connected.');
    expect((await slip.say(LOOKUP)).texts[0]).toContain('credentials refused');
    await changing.rests();
    expect((await changing.say(LOOKUP)).texts[0]).toMatch(RESTS);
    expect((await good.say(LOOKUP)).texts[0]).toContain('connected.');
    await changing.change('sandbox');
    expect((await changing.say(LOOKUP)).texts[0]).toContain('connected.');
    expect((await slip.say(LOOKUP)).texts[0]).toMatch(RESTS);
    expect(good.sandbox.nacCalls.filter(({ username }) => username === undefined)).toHaveLength(1);
  });
});
