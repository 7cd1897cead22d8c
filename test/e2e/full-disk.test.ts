import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startBot as startMain } from '../../src/sandbox/sandbox.ts';
import { readyzOf } from '../serve.ts';
import { startBotProcess, untilOpen } from '../start-bot.ts';

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, '../../src/main.ts');
const ALERT = 'link down AA:BB:CC:DD:EE:FF';

/** Lets no file of a process grow beyond so many bytes, which is a full disk to it and needs no root. */
const limitFiles = (pid: number | undefined, bytes: number | 'unlimited') =>
  run('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`]);

function littleMoreIn(folder = ''): number {
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return Math.max(sizeOf('nac-lookup-bot.db'), sizeOf('nac-lookup-bot.db-wal')) + 200_000;
}

const databaseOf = async (bot: { url: string }) => (await readyzOf(bot)).parts.database;

it.runIf(process.platform === 'linux')(
  'a bot with a full disk answers, loses nothing, and goes on later',
  { timeout: 90_000 },
  async () => {
    const bot = await startBotProcess();
    const { url, app } = bot;
    const linesWith = (words: string) => bot.log.filter((line) => line.includes(words));

    await limitFiles(app.child.pid, littleMoreIn(bot.sandbox.environment.DATA_DIR));
    const kept: string[] = [];
    for (let round = 0; (await databaseOf(bot)) === 'ok'; round++) {
      const name = randomBytes(500).toString('hex');
      const conversation = { id: 'night', name, conversationType: 'personal' };
      const { texts } = await bot.say(`alerts here as night-${round}`, { conversation });
      if (!texts[0]?.includes('I cannot reach my database')) kept.push(`night-${round}`);
    }
    expect(kept.length).toBeGreaterThan(10);
    expect(await fetch(`${url}/healthz`)).toMatchObject({ status: 200 });
    const late = { timestamp: new Date(Date.now() - 60_000).toISOString() }; // So late that it is to become a job.
    for (const changes of [{}, late]) {
      const { texts, ms } = await bot.say('lookup AA:BB:CC:DD:EE:FF', changes);
      expect(texts).toEqual([expect.stringContaining('connected.')]);
      expect(ms).toBeLessThan(10_000);
    }
    expect((await bot.alert(ALERT)).status).toBe(503);
    await limitFiles(app.child.pid, 'unlimited');
    await untilOpen(url);
    expect((await bot.alert(ALERT)).status).toBe(202);
    await vi.waitFor(() => expect(linesWith('database ok')).toHaveLength(2)); // Lines are written in batches.
    expect(linesWith('database away')).toHaveLength(1);
    const list = await bot.ask('alerts list');
    expect(kept.filter((name) => !list.includes(name))).toEqual([]);

    const stopping = performance.now();
    await app.stop();
    expect(app.child.exitCode).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(12_000);

    const full = { program: 'prlimit', args: ['--fsize=0:', process.execPath, MAIN] };
    const next = await startMain({ ...bot.sandbox.environment, PORT: '0' }, () => {}, full);
    onTestFinished(next.kill);
    expect(await databaseOf(next)).not.toBe('ok');
    await limitFiles(next.child.pid, 'unlimited');
    await untilOpen(next.url);
  },
);
