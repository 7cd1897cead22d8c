import { describe, expect, it } from 'vitest';
import { openStage } from './bot.ts';

const HOOK = new URL('print-modules.ts', import.meta.url).href;
const IDENTITY = {
  MicrosoftAppId: 'id',
  MicrosoftAppType: 'UserAssignedMSI',
  MicrosoftAppTenantId: 't',
  ALLOWED_TENANTS: '*',
};

describe('the start', () => {
  it('loads only packages that a lookup needs', async () => {
    const { start, later } = await packagesOf({});
    expect(start).toEqual(expect.arrayContaining(['restify', 'botbuilder', 'undici']));
    for (const name of ['pg-boss', 'pg', '@electric-sql/pglite', 'jose', 'prom-client'])
      expect(start).not.toContain(name);
    expect(later).toEqual(expect.arrayContaining(['pg-boss', '@electric-sql/pglite']));
  });

  it.each([
    ['jose where the bot has an identity', IDENTITY, 'jose'],
    [
      'prom-client where it has a port for metrics',
      { OPS_PORT: '9464', OPS_HOST: '127.0.0.1' },
      'prom-client',
    ],
  ])('loads %s', async (_, settings, name) => {
    expect((await packagesOf(settings)).start).toContain(name);
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
