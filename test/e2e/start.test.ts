import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProcessStage } from '../stage.ts';
import { startPostgres } from '../store/postgres.ts';

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
});

/** What a bot prints until its database is open, and while it stops. */
async function linesOf(settings: Record<string, string>): Promise<string[]> {
  const stage = await openProcessStage(settings);
  await stage.ready();
  await stage.bot.stop(); // Node writes its cache as it ends.
  await stage.close();
  return stage.log;
}

/** The packages that a bot with a server loads until it listens, and from then until its database is open. */
async function packagesLoaded(): Promise<{ start: string[]; later: string[] }> {
  const postgres = await startPostgres();
  const stage = await openProcessStage({ NODE_OPTIONS: `--import ${HOOK}`, DATABASE_URL: postgres.url });
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
