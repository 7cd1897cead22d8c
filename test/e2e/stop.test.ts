import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunningBot } from '../../src/sandbox/sandbox.ts';
import { openReadyProcessStage, type Stage } from '../stage.ts';

const SLOW = 'lookup 00:1B:54:00:00:05'; // Takes 3 s.
const VERY_SLOW = 'lookup 00:1B:54:00:00:07'; // Takes 10 s.
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let stage: Stage<RunningBot>;
afterEach(async () => {
  tell('SIGKILL', true); // A bot that npm has left behind would go on.
  await stage.close();
});

/** Sends a signal to what was started, or to its whole process group as a terminal does. */
function tell(signal: NodeJS.Signals, group = false): void {
  const { pid = 0 } = stage.bot.child;
  try {
    process.kill(group ? -pid : pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const endOf = async () => {
  const [code, signal] = await once(stage.bot.child, 'exit');
  return code ?? signal;
};

const isAsked = (count = 1) => vi.waitFor(() => expect(stage.sandbox.nacCalls).toHaveLength(count), 20_000);
const isStopping = () => vi.waitFor(() => expect(stage.log.join()).toContain('"msg":"stopping"'), 10_000);
const listens = () =>
  fetch(`${stage.bot.url}/healthz`).then(
    () => true,
    () => false,
  );

describe.each([
  ['node src/main.ts', { program: process.execPath, args: ['src/main.ts'] }],
  ['npm start', { program: 'npm', args: ['start'] }],
])('a bot under %s', (_, command) => {
  const start = (settings: Record<string, string> = {}) =>
    openReadyProcessStage(settings, { ...command, cwd: ROOT, detached: true });

  it('answers lookups in flight on SIGTERM, takes no new ones, and leaves nothing behind', async () => {
    stage = await start();
    const exit = endOf();
    const turn = stage.say(SLOW);
    await isAsked();
    tell('SIGTERM');
    await isStopping();
    await vi.waitFor(async () => expect(await listens()).toBe(false));
    expect(await turn).toMatchObject({ status: 200, texts: [expect.stringContaining('connected.')] });
    expect(await exit).toBe(0);
    expect(stage.log.join()).toContain('"msg":"stopped"');
    expect(() => process.kill(-(stage.bot.child.pid ?? 0), 0)).toThrow('ESRCH');
  });

  it('takes one Ctrl+C for one, which a terminal and npm both pass on', async () => {
    stage = await start();
    const exit = endOf();
    const turn = stage.say(SLOW);
    await isAsked();
    tell('SIGINT', true);
    expect(await turn).toMatchObject({ status: 200, texts: [expect.stringContaining('connected.')] });
    expect(await exit).toBe(0);
  });
});

describe('a bot that is told to stop', () => {
  const start = (settings: Record<string, string> = {}) =>
    openReadyProcessStage(settings, { args: ['src/main.ts'], cwd: ROOT, detached: true });

  it('goes on for STOP_DELAY_MS, so that a balancer can see at /readyz that it stops', async () => {
    stage = await start({ STOP_DELAY_MS: '3000' });
    const exit = endOf();
    tell('SIGTERM');
    const told = performance.now();
    await isStopping();
    const ready = await fetch(`${stage.bot.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'not ready' }]);
    expect((await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts).toEqual([
      expect.stringContaining('connected.'),
    ]);
    expect(await exit).toBe(0);
    expect(performance.now() - told).toBeGreaterThan(2900);
  });

  it('hands a lookup that takes too long to its database within 10 s, and answers it after the next start', async () => {
    stage = await start();
    const exit = endOf();
    const turn = stage.say(VERY_SLOW);
    await isAsked();
    tell('SIGTERM');
    const told = performance.now();
    expect(await turn).toMatchObject({ status: 200, texts: [expect.stringContaining('Still asking')] });
    expect(await exit).toBe(0);
    expect(performance.now() - told).toBeLessThan(11_000);
    await stage.restart();
    await vi.waitFor(() => expect(stage.replies).toHaveLength(2), 60_000);
  });

  it('ends at once on a second signal, with 1 and a line that says what becomes of the rest', async () => {
    stage = await start();
    const exit = endOf();
    const turn = stage.say(VERY_SLOW).catch(() => 'cut off');
    await isAsked();
    tell('SIGTERM');
    await vi.waitFor(async () => expect(await listens()).toBe(false));
    await new Promise((resolve) => setTimeout(resolve, 600)); // An earlier one counts as the same.
    tell('SIGTERM');
    expect(await exit).toBe(1);
    expect(await turn).toBe('cut off');
    expect(stage.log.at(-1)).toContain('jobs go on from the database');
  });
});
