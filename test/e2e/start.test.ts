import { describe, expect, it } from 'vitest';
import { openStage } from './bot.ts';

const HOOK = new URL('print-modules.ts', import.meta.url).href;
describe('the start', () => {
  it('loads the database and its drivers behind the first messages', async () => {
    const { start, later } = await packagesOf({});
    expect(start).toEqual(expect.arrayContaining(['restify', 'botbuilder', 'undici']));
    for (const name of ['pg-boss', 'pg', '@electric-sql/pglite']) expect(start).not.toContain(name);
    expect(later).toContain('pg-boss');
  });
});

/** The packages that a bot loads until it listens, and from then until its database is open. */
async function packagesOf(settings: Record<string, string>): Promise<{ start: string[]; later: string[] }> {
  const stage = await openStage({ NODE_OPTIONS: `--import ${HOOK}`, ...settings });
  await stage.ready();
  await stage.close();
  const listening = stage.log.findIndex((line) => line.includes('"msg":"listening"'));
  return { start: packagesIn(stage.log.slice(0, listening)), later: packagesIn(stage.log.slice(listening)) };
}

function packagesIn(lines: readonly string[]): string[] {
  const names = lines.map((line) => /^module .*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(line)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
