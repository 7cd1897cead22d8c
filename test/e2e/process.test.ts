import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RunningBot, startBot as startMain } from '../../src/sandbox/sandbox.ts';
import { type Bot, startBotProcess } from '../start-bot.ts';
import { until } from '../test-clock.ts';
import { rssOf } from '../usage-of.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SLOW = 'lookup 00:1B:54:00:00:05'; // Takes 3 s.
const VERY_SLOW = 'lookup 00:1B:54:00:00:07'; // Takes 10 s.

it('a start with wrong settings exits with 2, and lists all', async () => {
  const wrong = { NAC_PASSWORD: 'canary-1', WEBHOOK_URL: 'canary-2', DATABASE_URL: 'canary-3' };
  const failure = await startMain(wrong).catch(String);
  expect(failure).toContain('ended with 2');
  const named = ['MicrosoftAppId', 'NAC_URL', 'NAC_USERNAME', 'DATABASE_URL must be', 'npm run sandbox'];
  for (const name of named) expect(failure).toContain(name);
  expect(failure).not.toContain('canary');
});

it('a start with a wrong folder exits with 2, and says what is wrong', async () => {
  const failure = await startBotProcess({ settings: { DATA_DIR: import.meta.filename } }).catch(String);
  expect(failure).toMatch(
    /ended with 2:\nThe bot cannot start: the folder in DATA_DIR cannot be made or used: set another folder \(\/.*\)\.\n$/,
  );
});

describe('a process that gets a signal to stop', () => {
  async function start(command: { program?: string; args: string[] } = { args: ['src/main.ts'] }) {
    const bot = await startBotProcess({}, { ...command, cwd: ROOT, detached: true });
    const { child } = bot.app;
    const group = -(child.pid ?? 0);
    onTestFinished(() => {
      if (isAlive(group)) process.kill(group, 'SIGKILL'); // A bot that npm has left behind would go on.
    });
    const exit = once(child, 'exit').then(([code, signal]) => code ?? signal);
    return { bot, child, group, exit };
  }

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  const isAsked = ({ calls }: Bot<RunningBot>) => until(() => expect(calls).toHaveLength(1));
  const isClosed = ({ url }: Bot<RunningBot>) =>
    expect.poll(() => fetch(`${url}/healthz`).catch(() => 'closed')).toBe('closed');

  it('answers lookups in flight, and waits for no endless request', async () => {
    const { bot, child, group, exit } = await start();
    const endless = connect(Number(new URL(bot.url).port), '127.0.0.1');
    endless.on('error', () => {}); // The bot may end the connection.
    endless.write('POST /api/messages HTTP/1.1\r\nHost: localhost\r\n');
    const turn = bot.say(SLOW);
    await isAsked(bot);
    child.kill('SIGTERM');
    await isClosed(bot);
    expect((await turn).texts.at(-1)).toContain('connected.');
    expect([await exit, isAlive(group)]).toEqual([0, false]);
    expect(bot.log.join()).toContain('"msg":"stopped"');
    endless.destroy();
  });

  it('takes one Ctrl+C for one, which a terminal and npm both pass on', async () => {
    const { bot, group, exit } = await start({ program: 'npm', args: ['start'] });
    const turn = bot.say(SLOW);
    await isAsked(bot);
    process.kill(group, 'SIGINT');
    expect((await turn).texts.at(-1)).toContain('connected.');
    expect([await exit, isAlive(group)]).toEqual([0, false]);
  });

  it('through npm ends with 1 at once on a second signal', async () => {
    const { bot, child, exit } = await start({ program: 'npm', args: ['start'] });
    const turn = bot.say(VERY_SLOW).catch(() => 'cut off');
    await isAsked(bot);
    child.kill('SIGTERM');
    await isClosed(bot);
    // Signals within half a second are the same one. One that npm gets after the bot's end would end npm by itself.
    await vi.waitFor(() => {
      if (!bot.log.join().includes('a second signal')) child.kill('SIGTERM');
      expect(bot.log.join()).toContain('jobs go on from the database');
    }, 20_000);
    expect([await turn, await exit]).toEqual(['cut off', 1]);
  });
});

it('an uncaught exception ends the process with a line of the log', async () => {
  const bug = "void Promise.reject(new Error('failed with canary-secret'))";
  const hook = `data:text/javascript,process.once('SIGUSR2', () => { ${bug}; })`;
  const NODE_OPTIONS = `--import="${hook.replaceAll('"', '\\"')}"`;
  const { app, log } = await startBotProcess({ settings: { NODE_OPTIONS, NAC_PASSWORD: 'canary-secret' } });
  const exited = once(app.child, 'close');
  app.child.kill('SIGUSR2');
  expect((await exited)[0]).toBe(1);
  expect(log.join('\n')).toMatch(/failed with \[secret\].*"msg":"crashed"/);
  expect(log.join('\n')).not.toContain('canary');
});

describe('a first start, on empty folders', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'first-start-'));
  const settings = { DATA_DIR: join(folder, 'database'), NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const bot = await startBotProcess({ settings });
  afterAll(() => rm(folder, { recursive: true }));

  it.runIf(process.platform === 'linux')('takes at most 215 MB, as the kernel counts (Linux)', async () => {
    await bot.say('alerts here as night');
    const peakMb = (rssOf(bot.app, 'VmHWM') * 1024) / 1000;
    expect(peakMb).toBeGreaterThan(100);
    expect(peakMb).toBeLessThan(215);
    expect((await bot.say('alerts list')).texts.join()).toContain('night');
  });

  it('goes on, and exits with 0, when nobody reads its log any more', async () => {
    const { child } = bot.app;
    child.stdout?.destroy();
    for (const address of ['AA:BB:CC:DD:EE:FF', '00:1B:54:00:00:01'])
      expect((await bot.say(`lookup ${address}`)).texts.join()).toContain('posted');
    await bot.app.stop();
    expect(child.exitCode).toBe(0);
  });

  it('leaves all code compiled for the next', async () => {
    const next = await startBotProcess({ settings: { ...settings, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' } });
    await Promise.all([once(next.app.child, 'close'), next.app.stop()]); // Only then has each line been read.
    const cached = next.log.filter((line) => line.includes('code cache for'));
    expect(cached.length).toBeGreaterThan(1000);
    expect(cached.filter((line) => !line.includes('was accepted'))).toEqual([]);
  });
});
