import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunningBot } from '../../src/sandbox/sandbox.ts';
import { openReadyProcessStage, type Stage } from '../stage.ts';
import { limitFiles, littleMoreIn } from './full-disk.ts';

let stage: Stage<RunningBot>;
afterEach(() => stage.close()); // A bot that spins heeds no other signal.

/** The database's part of what the bot says of itself; fails when it says nothing for 10 s. */
async function database(): Promise<unknown> {
  const response = await fetch(`${stage.bot.url}/readyz`, { signal: AbortSignal.timeout(10_000) });
  const { parts } = (await response.json()) as { parts: { database: string } };
  return parts.database;
}

/** Makes the bot write to its database until it cannot. */
async function writeUntilFull(): Promise<void> {
  for (let round = 0; (await database()) === 'ok'; round++) {
    const some = {
      conversation: {
        id: 'night',
        name: randomBytes(500).toString('hex'),
        conversationType: 'personal',
      },
    };
    await stage.say(`alerts here as night-${round}`, some);
  }
}

const alert = () =>
  fetch(`${stage.bot.url}/api/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', authorization: 'Bearer token-for-alerts' },
    body: 'link down AA:BB:CC:DD:EE:FF',
  });

const linesWith = (words: string) => stage.log.filter((line) => line.includes(words));
const lost = () => linesWith('the database is away');

describe.runIf(process.platform === 'linux')('a bot whose database has a full disk', () => {
  it('answers lookups, refuses alerts, says so once, and goes on by itself when there is space', async () => {
    stage = await openReadyProcessStage({ ALERTS_TOKEN: 'token-for-alerts' });
    await limitFiles(stage.bot.child.pid, littleMoreIn(String(stage.sandbox.environment.DATA_DIR)));
    await writeUntilFull();
    expect(await fetch(`${stage.bot.url}/healthz`)).toMatchObject({ status: 200 });
    const late = { timestamp: new Date(Date.now() - 60_000).toISOString() }; // So late that it is to become a job.
    for (const changes of [{}, late]) {
      const { texts, ms } = await stage.say('lookup AA:BB:CC:DD:EE:FF', changes);
      expect(texts).toEqual([expect.stringContaining('connected.')]);
      expect(ms).toBeLessThan(10_000);
    }
    expect((await alert()).status).toBe(503);
    expect(await database()).not.toBe('ok');
    expect(lost()).toHaveLength(1);
    await limitFiles(stage.bot.child.pid, 'unlimited');
    await vi.waitFor(async () => expect(await database()).toBe('ok'), 10_000);
    expect((await alert()).status).toBe(202);
    await vi.waitFor(() => expect(linesWith('the database is back')).toHaveLength(1)); // Lines are written in batches.
    expect(lost()).toHaveLength(1);
    const exited = once(stage.bot.child, 'exit');
    const told = performance.now();
    stage.bot.child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - told).toBeLessThan(12_000);
  });
});
