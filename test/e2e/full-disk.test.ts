import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/store/embedded.ts';
import { fillLog, limitFiles, NO_NEXT_LOG_FILE } from '../store/full-disk.ts';
import { openReadyStage, type Stage } from './bot.ts';

let stage: Stage;
afterEach(() => stage.close()); // A bot that spins heeds no other signal.

/** The database's part of what the bot says of itself; fails when it says nothing for 10 s. */
async function database(): Promise<unknown> {
  const response = await fetch(`${stage.bot.url}/readyz`, { signal: AbortSignal.timeout(10_000) });
  const { parts } = (await response.json()) as { parts: { database: string } };
  return parts.database;
}

/** Starts the bot anew with its database's log two thirds full; beyond three quarters it would make the next file at its start. */
async function restartWithLittleSpace(): Promise<void> {
  await stage.bot.kill();
  const { bossOptions, close } = await openEmbedded(String(stage.sandbox.environment.DATA_DIR));
  await bossOptions.db?.executeSql(fillLog(5_500_000));
  await close();
  await stage.restart();
  await stage.ready();
  await limitFiles(stage.bot.child.pid, NO_NEXT_LOG_FILE);
}

/** Makes the bot write to its database until it cannot. */
async function writeUntilFull(): Promise<void> {
  for (let round = 0; (await database()) === 'ok'; round++) {
    const large = {
      conversation: {
        id: 'night',
        name: randomBytes(100_000).toString('hex'),
        conversationType: 'personal',
      },
    };
    await stage.say(`alerts here as night-${round}`, large);
  }
}

describe.runIf(process.platform === 'linux')('a bot whose database has a full disk', () => {
  it('answers lookups, says how it is, and ends when it is told to', async () => {
    stage = await openReadyStage();
    await restartWithLittleSpace();
    await writeUntilFull();
    expect(await fetch(`${stage.bot.url}/healthz`)).toMatchObject({ status: 200 });
    const late = { timestamp: new Date(Date.now() - 60_000).toISOString() }; // So late that it is to become a job.
    for (const changes of [{}, late]) {
      const { texts, ms } = await stage.say('lookup AA:BB:CC:DD:EE:FF', changes);
      expect(texts).toEqual([expect.stringContaining('connected.')]);
      expect(ms).toBeLessThan(10_000);
    }
    const exited = once(stage.bot.child, 'exit');
    const told = performance.now();
    stage.bot.child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - told).toBeLessThan(12_000);
  });
});
