import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReadyStage, type Stage } from '../stage.ts';
import { type ChannelIdentity, openChannelIdentity } from '../teams/authentication/identity.ts';
import { type Authority, openAuthority } from '../teams/authentication/identity-authority.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/doctor.ts', import.meta.url));
const PASSWORD = 'canary-app-password';

let stage: Stage;
let authority: Authority;
let channel: ChannelIdentity;
beforeAll(async () => {
  authority = await openAuthority({ tenant: 'tenant', clientId: 'app', clientSecret: PASSWORD });
  channel = await openChannelIdentity({ appId: 'app', serviceUrl: 'https://chat.example' });
  stage = await openReadyStage();
});
afterAll(() => Promise.all([stage.close(), authority.close(), channel.close()]));

async function run(changes: Record<string, string> = {}, args: string[] = []) {
  const { ALLOW_UNAUTHENTICATED: _, ...environment } = stage.sandbox.environment;
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      ...environment,
      NODE_EXTRA_CA_CERTS: authority.certificateFile,
      MicrosoftAppId: 'app',
      MicrosoftAppPassword: PASSWORD,
      MicrosoftAppType: 'SingleTenant',
      MicrosoftAppTenantId: 'tenant',
      BotOpenIdMetadata: channel.metadataUrl,
      ToChannelFromBotLoginUrl: authority.loginUrl,
      ALLOWED_TENANTS: '*',
      ...changes,
    },
  });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  expect(stdout + stderr).not.toMatch(/canary/);
  return { code, stdout, stderr };
}

describe('npm run doctor', () => {
  it('prints a row a system beside a running bot, and exits with 1 if something does not work', async () => {
    const { code, stdout, stderr } = await run({ NAC_PASSWORD: 'canary-nac' });
    expect(stdout.match(/^(?:works|warning|FAILS|skipped) +.+?(?= {2})/gm)).toEqual([
      'works    settings',
      'FAILS    NAC',
      'works    authorization service',
      'works    ticket service',
      'works    webhook',
      'works    token authority',
      'works    signing keys',
      'works    database',
      'works    clock',
    ]);
    expect(stdout).toContain('a bot holds the embedded database');
    expect(stdout).toMatch(/\n\n1 of 9 fail: NAC\.\n$/);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it('names all wrong settings, asks nobody, and exits with 2', async () => {
    const before = stage.sandbox.nacCalls.length;
    const { code, stdout } = await run({ LOG_LEVEL: 'canary', DATABASE_URL: 'canary' });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^FAILS {4}settings {15}DATABASE_URL must be.*\n.*LOG_LEVEL must be/);
    expect(stage.sandbox.nacCalls).toHaveLength(before);
  });
});
