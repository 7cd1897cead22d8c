import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/sandbox/listen.ts';
import { openReadyStage, type Stage } from '../stage.ts';
import { type PostgresServer, startPostgres } from '../store/postgres.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const RESTS =
  /^not asked\. The NAC refused the bot's credentials\. I leave them alone for (?:1 min|\d+ s)( \d+ s)? more/;

let postgres: PostgresServer;
let directory: string;
const stages: Replica[] = [];
let databases = 0;
beforeAll(async () => {
  postgres = await startPostgres();
  directory = await mkdtemp(join(tmpdir(), 'secrets-'));
});
afterEach(() => Promise.all(stages.splice(0).map(({ close }) => close())));
afterAll(async () => {
  await postgres.close();
  await rm(directory, { recursive: true });
});

type Replica = Stage & {
  /** Changes the password that this bot has for the NAC. */
  change(password: string): Promise<void>;
  nacHealth(): Promise<string>;
  isResting(): Promise<boolean>;
};

/** Bots on one database, for one NAC and the same exchanges, each with its own file for the password. */
async function openReplicas(...passwords: string[]): Promise<{ replicas: Replica[]; url: string }> {
  databases += 1;
  const url = await postgres.createDatabase(`replicas_${databases}`);
  for (const password of passwords) {
    const file = join(directory, `${databases}-${stages.length}`);
    await writeFile(file, password);
    const port = await freePort(0);
    const stage = await openReadyStage({
      ...stages[0]?.sandbox.environment,
      DATABASE_URL: url,
      NAC_PASSWORD: '',
      NAC_PASSWORD_FILE: file,
      TICKET_PASSWORD: 'wrong',
      OPS_PORT: String(port),
    });
    const readyz = async () => (await (await fetch(`${stage.bot.url}/readyz`)).json()) as Readyz;
    stages.push(
      Object.assign(stage, {
        change: (changed: string) => writeFile(file, changed),
        nacHealth: async () => (await readyz()).parts.nac,
        isResting: async () => {
          const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
          return metrics.includes('\nnac_lookup_bot_nac_credentials_resting 1\n');
        },
      }),
    );
  }
  return { replicas: stages, url };
}

type Readyz = { parts: { nac: string } };

async function restsSoon({ isResting }: Replica): Promise<void> {
  await vi.waitFor(async () => expect(await isResting()).toBe(true), { timeout: 6000, interval: 50 });
}

describe('three bots on one database, after one of them was refused', { timeout: 120_000 }, () => {
  it('make no further call for a minute, and each of them says so', async () => {
    const { replicas, url } = await openReplicas('wrong', 'wrong', 'wrong');
    const [first, ...others] = replicas as [Replica, ...Replica[]];
    expect((await first.say(LOOKUP)).texts[0]).toContain('credentials refused');
    expect((await first.say('status')).texts[0]).toContain('ticket: refused by the ticket service');
    for (const other of others) {
      await restsSoon(other);
      expect(await other.nacHealth()).toBe('failing');
      for (let count = 0; count < 3; count++) expect((await other.say(LOOKUP)).texts[0]).toMatch(RESTS);
      const [status] = (await other.say('status')).texts;
      expect(status).toMatch(/the NAC refused these credentials; they rest for \d/);
      expect(status).toMatch(/ticket: refused; not asked again for \d/);
    }
    expect(first.sandbox.nacCalls).toHaveLength(1);
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query(
      "select key from nac_lookup_bot.kept where kind = 'refusal' order by key",
    );
    await client.end();
    expect(rows).toEqual([{ key: '["NAC","sandbox"]' }, { key: '["ticket","sandbox"]' }]);
  });

  it('leave those alone that have another password: before, meanwhile or since', async () => {
    const { replicas } = await openReplicas('sandbox', 'wrong', 'wrong');
    const [good, slip, changing] = replicas as [Replica, Replica, Replica];
    expect((await good.say(LOOKUP)).texts[0]).toContain('connected.');
    expect((await slip.say(LOOKUP)).texts[0]).toContain('credentials refused');
    await restsSoon(changing);
    expect((await changing.say(LOOKUP)).texts[0]).toMatch(RESTS);
    expect((await good.say(LOOKUP)).texts[0]).toContain('connected.');
    await changing.change('sandbox');
    expect((await changing.say(LOOKUP)).texts[0]).toContain('connected.');
    expect((await slip.say(LOOKUP)).texts[0]).toMatch(RESTS);
    expect(good.sandbox.nacCalls.filter(({ username }) => username === undefined)).toHaveLength(1);
  });
});
