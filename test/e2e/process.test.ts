import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RunningBot, startBot } from '../../src/sandbox/sandbox.ts';
import { openProcessStage, type Stage } from '../stage.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SLOW = 'lookup 00:1B:54:00:00:05'; // Takes 3 s.
const VERY_SLOW = 'lookup 00:1B:54:00:00:07'; // Takes 10 s.
const ANSWERED = { status: 200, texts: [expect.stringContaining('connected.')] };

describe('a process that cannot start exits with 2', () => {
  it('and lists all settings that are missing or wrong, names the sandbox, prints no secret', async () => {
    const wrong = { NAC_PASSWORD: 'canary-1', WEBHOOK_URL: 'canary-2', DATABASE_URL: 'canary-3' };
    const failure = await startBot(wrong).catch(String);
    expect(failure).toContain('ended with 2');
    const named = ['MicrosoftAppId', 'NAC_URL', 'NAC_USERNAME', 'DATABASE_URL must be', 'npm run sandbox'];
    for (const name of named) expect(failure).toContain(name);
    expect(failure).not.toContain('canary');
  });

  it('and says in one sentence what is wrong with its folder', async () => {
    const failure = await openProcessStage({ DATA_DIR: import.meta.filename }).catch(String);
    expect(failure).toMatch(
      /ended with 2:\nThe bot cannot start: DATA_DIR names a file, or a path below a file: set a folder\.\n$/,
    );
  });
});

describe('a process that is told to stop', () => {
  let stage: Stage<RunningBot>;
  afterEach(async () => {
    tell('SIGKILL', true); // A bot that npm has left behind would go on.
    await stage.close();
  });

  /** Starts a bot as the leader of a process group. */
  const start = async (command: { program?: string; args: string[] } = { args: ['src/main.ts'] }) => {
    stage = await openProcessStage({}, { ...command, cwd: ROOT, detached: true });
    return { exit: once(stage.bot.child, 'exit').then(([code, signal]) => code ?? signal) };
  };

  /** Sends a signal to what was started, or to its whole process group as a terminal does. */
  function tell(signal: NodeJS.Signals, group = false): void {
    const { pid = 0 } = stage.bot.child;
    try {
      process.kill(group ? -pid : pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  const isAsked = () => vi.waitFor(() => expect(stage.sandbox.nacCalls).toHaveLength(1), 20_000);
  const isClosed = () =>
    expect.poll(() => fetch(`${stage.bot.url}/healthz`).catch(() => 'closed')).toBe('closed');
  const isGone = () => expect(() => process.kill(-(stage.bot.child.pid ?? 0), 0)).toThrow('ESRCH');

  it('answers lookups in flight, takes no new ones, waits for no endless request, and leaves nothing behind', async () => {
    const { exit } = await start();
    const endless = connect(Number(new URL(stage.bot.url).port), '127.0.0.1');
    endless.on('error', () => {}); // The bot may end the connection.
    endless.write('POST /api/messages HTTP/1.1\r\nHost: localhost\r\n');
    const turn = stage.say(SLOW);
    await isAsked();
    tell('SIGTERM');
    await isClosed();
    expect(await turn).toMatchObject(ANSWERED);
    expect(await exit).toBe(0);
    expect(stage.log.join()).toContain('"msg":"stopped"');
    isGone();
    endless.destroy();
  });

  it('takes one Ctrl+C for one, which a terminal and npm both pass on', async () => {
    const { exit } = await start({ program: 'npm', args: ['start'] });
    const turn = stage.say(SLOW);
    await isAsked();
    tell('SIGINT', true);
    expect(await turn).toMatchObject(ANSWERED);
    expect(await exit).toBe(0);
    isGone();
  });

  it('through npm ends at once on a second signal, with 1 and a line that says what becomes of the rest', async () => {
    const { exit } = await start({ program: 'npm', args: ['start'] });
    const turn = stage.say(VERY_SLOW).catch(() => 'cut off');
    await isAsked();
    tell('SIGTERM');
    await isClosed();
    // Signals within half a second are the same one. One that npm gets after the bot's end would end npm by itself.
    await vi.waitFor(() => {
      const log = stage.log.join('\n');
      if (!log.includes('a second signal')) tell('SIGTERM');
      expect(log).toContain('jobs go on from the database');
    }, 20_000);
    expect(await turn).toBe('cut off');
    expect(await exit).toBe(1);
  });
});

it('a bug that nobody caught ends the process with a line of the log, and without a secret', async () => {
  const bug = "void Promise.reject(new Error('failed with canary-secret'))";
  const hook = `data:text/javascript,process.once('SIGUSR2', () => { ${bug}; })`;
  const NODE_OPTIONS = `--import="${hook.replaceAll('"', '\\"')}"`;
  const { bot, log, close } = await openProcessStage({ NODE_OPTIONS, NAC_PASSWORD: 'canary-secret' });
  onTestFinished(close);
  const exited = once(bot.child, 'close');
  bot.child.kill('SIGUSR2');
  expect((await exited)[0]).toBe(1);
  expect(log.join('\n')).toMatch(/failed with \[secret\].*"msg":"crashed"/);
  expect(log.join('\n')).not.toContain('canary');
});

describe('a first start, on empty folders', () => {
  let folder: string;
  let stage: Stage<RunningBot>;
  const settings = () => ({
    DATA_DIR: join(folder, 'database'),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    ALERTS_TOKEN: 'token-for-alerts',
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'first-start-'));
    stage = await openProcessStage(settings());
  });
  afterAll(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  it.runIf(process.platform === 'linux')('takes at most 215 MB, as the kernel counts (Linux)', async () => {
    await stage.say('alerts here as night');
    const status = readFileSync(`/proc/${stage.bot.child.pid}/status`, 'utf8');
    const peakMb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1000;
    expect(peakMb).toBeGreaterThan(100);
    expect(peakMb).toBeLessThan(215);
    expect((await stage.say('alerts list')).texts.join()).toContain('night');
  });

  it('goes on, and exits with 0 on SIGTERM, when nobody reads its log any more', async () => {
    const { child } = stage.bot;
    child.stdout?.destroy();
    for (const address of ['AA:BB:CC:DD:EE:FF', '00:1B:54:00:00:01'])
      expect((await stage.say(`lookup ${address}`)).texts.join()).toContain('posted');
    await stage.bot.stop();
    expect(child.exitCode).toBe(0);
  });

  it('leaves all code compiled for the next', async () => {
    const next = await openProcessStage({ ...settings(), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' });
    await Promise.all([once(next.bot.child, 'close'), next.close()]); // Only then has each line been read.
    const cached = next.log.filter((line) => line.includes('code cache for'));
    expect(cached.length).toBeGreaterThan(1000);
    expect(cached.filter((line) => !line.includes('was accepted'))).toEqual([]);
  });
});
