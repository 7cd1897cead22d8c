import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningBot } from '../../src/sandbox/sandbox.ts';
import { openReadyProcessStage, type Stage } from '../stage.ts';

let folder: string;
let stage: Stage<RunningBot>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'first-start-'));
});
afterEach(async () => {
  await stage.close();
  await rm(folder, { recursive: true });
});

describe.runIf(process.platform === 'linux')('the first start, with an empty folder (Linux)', () => {
  it('takes at most 215 MB, as the kernel counts', async () => {
    stage = await openReadyProcessStage({ DATA_DIR: folder, ALERTS_TOKEN: 'token-for-alerts' });
    await stage.say('alerts here as night');
    const status = readFileSync(`/proc/${stage.bot.child.pid}/status`, 'utf8');
    const peakMb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1000;
    expect(peakMb).toBeGreaterThan(100);
    expect(peakMb).toBeLessThan(215);
    expect((await stage.say('alerts list')).texts.join()).toContain('night');
  });
});
