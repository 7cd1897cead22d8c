import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../store/postgres.ts';
import { openStage } from './bot.ts';

const HOOK = new URL('print-modules.ts', import.meta.url).href;
describe('the start', () => {
  it("loads a server's driver behind the first messages", async () => {
    const { start, later } = await packagesLoaded();
    expect(start).toEqual(expect.arrayContaining(['restify', 'botbuilder', 'undici']));
    expect(start).not.toContain('pg');
    expect(later).toContain('pg');
  });

  it('finds all its code compiled, if a start on an empty folder came before', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'start-'));
    const settings = {
      DATA_DIR: join(folder, 'database'),
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
    };
    await linesOf(settings);
    const cached = (await linesOf(settings)).filter((line) => line.includes('code cache for'));
    await rm(folder, { recursive: true });
    expect(cached.length).toBeGreaterThan(1000);
    expect(cached.filter((line) => !line.includes('was accepted'))).toEqual([]);
  });

  describe.runIf(process.platform === 'linux')('replaces its process', () => {
    it('by one with settings for small memory, under the same id', async () => {
      const { pid, begun } = await begunWith({});
      expect(pid).toBe(begun.pid);
      expect(begun.args).toContain('--max-semi-space-size=16');
      expect(begun.env).toContain('MALLOC_MMAP_THRESHOLD_=32768');
    });

    it("but not if the system's own setting stands in the environment", async () => {
      const { begun } = await begunWith({ MALLOC_MMAP_THRESHOLD_: '131072' });
      expect(begun.args).not.toContain('--max-semi-space-size=16');
      expect(begun.env).toContain('MALLOC_MMAP_THRESHOLD_=131072');
    });
  });
});

/** The id by which the bot was started, and what the system and the log say of the process that runs then. */
async function begunWith(settings: Record<string, string>) {
  const stage = await openStage(settings);
  const { pid } = stage.bot.child;
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0');
  const listening = stage.log.find((line) => line.includes('"msg":"listening"')) ?? '';
  const begun = { pid: JSON.parse(listening).pid, args: read('cmdline'), env: read('environ') };
  await stage.close();
  return { pid, begun };
}

/** What a bot prints until its database is open, and while it stops. */
async function linesOf(settings: Record<string, string>): Promise<string[]> {
  const stage = await openStage(settings);
  await stage.ready();
  await stage.bot.stop(); // Node writes its cache as it ends.
  await stage.close();
  return stage.log;
}

/** The packages that a bot with a server loads until it listens, and from then until its database is open. */
async function packagesLoaded(): Promise<{ start: string[]; later: string[] }> {
  const postgres = await startPostgres();
  const stage = await openStage({ NODE_OPTIONS: `--import ${HOOK}`, DATABASE_URL: postgres.url });
  await stage.ready();
  await stage.close();
  await postgres.close();
  const listening = stage.log.findIndex((line) => line.includes('"msg":"listening"'));
  return { start: packagesIn(stage.log.slice(0, listening)), later: packagesIn(stage.log.slice(listening)) };
}

function packagesIn(lines: readonly string[]): string[] {
  const names = lines.map((line) => /^module .*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(line)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
