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
  it('is all green beside a bot that holds the embedded database', async () => {
    const { code, stdout, stderr } = await run();
    expect(stdout.match(/^(?:works|warning|FAILS|skipped) +.+?(?= {2})/gm)).toEqual([
      'works    settings',
      'works    NAC',
      'works    authorization service',
      'works    ticket service',
      'works    webhook',
      'works    token authority',
      'works    signing keys',
      'works    database',
      'works    clock',
    ]);
    expect(stdout).toContain('a bot holds the embedded database');
    expect(stdout).toMatch(/\n\nAll 9 work\.\n$/);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it('exits with 1 if something does not work, and tries a refused account once', async () => {
    const { nacCalls } = stage.sandbox;
    const before = nacCalls.length;
    const wrong = { NAC_PASSWORD: 'canary-nac' };
    expect(await run(wrong)).toMatchObject({ code: 1, stdout: expect.stringContaining('1 of 9 fail: NAC.') });
    expect(await run(wrong)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('not asked: an earlier'),
    });
    expect(nacCalls).toHaveLength(before + 1);
    expect((await run(wrong, ['--again'])).code).toBe(1);
    expect(nacCalls).toHaveLength(before + 2);
  });

  it('exits with 2 if settings or arguments are wrong', async () => {
    const { code, stdout } = await run({ LOG_LEVEL: 'canary', DATABASE_URL: 'canary' });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^FAILS {4}settings {15}DATABASE_URL must be.*\n.*LOG_LEVEL must be/);
    expect(stdout).toContain('works    webhook');
    expect(await run({}, ['--canary'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--again'),
    });
  });
});
