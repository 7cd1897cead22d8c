import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { describeProblems, readSettingsNamed } from '../src/settings.ts';
import { AUTHORIZE, accept, GOOD, messageOf, refuse, SIGNED_IN, TICKET } from './settings.ts';

it.each([
  ['ALOWED_TENANTS', 'ALLOWED_TENANTS'],
  ['NAC_PASWORD_FILE', 'NAC_PASSWORD_FILE'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['SHELL', undefined],
  ['HOSTNAME', undefined],
  ['NAC_LINKS_OF_OTHERS', undefined],
])('the name %s is taken for %s', (name, meant) => {
  expect(accept({ [name]: 'x' }).misspelt).toEqual(meant ? [{ name, meant }] : []);
});

describe('the minimal settings', () => {
  it("are completed with the contract's defaults", () => {
    expect(JSON.parse(JSON.stringify(accept({})))).toEqual({
      listen: { host: '127.0.0.1', port: 3978 },
      ops: { host: '127.0.0.1', port: 9464 },
      serviceHosts: {
        names: ['*.botframework.com', 'smba.trafficmanager.net', '*.teams.microsoft.com'],
        loopback: true,
      },
      nac: {
        addresses: ['https://nac.example.com/'],
        username: 'svc',
        password: '[secret]',
        macForm: 'colon',
        timeoutMs: 20_000,
        concurrency: 4,
        history: true,
        ignoredTokens: [],
        tls: { kind: 'verify' },
      },
      webhook: { tls: { kind: 'verify' } },
      database: { directory: '.data' },
      personal: { signIn: false, ttlHours: 8 },
      allowed: { channels: ['msteams', 'emulator', 'webchat'] },
      stopDelayMs: 0,
      logLevel: 'info',
      audit: true,
      misspelt: [],
    });
  });

  it('post to the base address in the v2 form', () => {
    const { base, form, token } = accept({}).webhook.address();
    expect([base.href, form, token.reveal()]).toEqual(['https://chat.example.com/', 'v2', 'room-token']);
  });

  it('are frozen deeply', () => {
    const settings = accept({ NAC_TLS: `pin:${'a'.repeat(64)}`, ADMINS: 'a,b' });
    const { nac, allowed } = settings;
    for (const each of [settings, nac, nac.tls, nac.addresses, allowed.admins])
      expect(Object.isFrozen(each)).toBe(true);
  });

  it('treat an empty value as unset', () => {
    const empty = accept({ PORT: '', TICKET_URL: '', MicrosoftAppId: '', HOST: '' });
    expect(JSON.stringify(empty)).toBe(JSON.stringify(accept({})));
  });

  it('listen on every interface and allow no loopback service address, with authentication on', () => {
    const { listen, serviceHosts, identity } = accept({}, SIGNED_IN);
    expect(listen.host).toBe('0.0.0.0');
    expect(serviceHosts.loopback).toBe(false);
    expect(identity).toMatchObject({ appId: 'app', type: 'SingleTenant', tenantId: 'tenant' });
    expect(identity?.password?.reveal()).toBe('app-password');
  });
});

describe('missing settings are named', () => {
  it('with nothing set: all required settings at once', () => {
    const required = Object.keys(GOOD).filter((name) => name !== 'ALLOW_UNAUTHENTICATED');
    expect(refuse({}, {})).toEqual(['MicrosoftAppId', ...required]);
  });

  it.each([
    ...Object.keys(GOOD)
      .map((name) => [name, GOOD] as const)
      .slice(1),
    ...['MicrosoftAppPassword', 'MicrosoftAppType', 'MicrosoftAppTenantId', 'ALLOWED_TENANTS'].map(
      (name) => [name, SIGNED_IN] as const,
    ),
  ])('%s alone', (name, good) => {
    expect(refuse({ [name]: undefined }, good)).toEqual([name]);
  });

  it('with fields that are wrong and others that are missing: all at once', () => {
    const wrong = { PORT: 'x', NAC_USERNAME: undefined, HOST: '0.0.0.0', PERSONAL_SIGN_IN: '1' };
    expect(refuse(wrong).sort()).toEqual(['HOST', 'NAC_USERNAME', 'PORT', 'SECRET_KEY']);
  });
});

describe('the message for the operator', () => {
  it('has a line for each problem and names the sandbox', () => {
    const odd = { name: 'PORT', message: 'is odd' };
    expect(describeProblems([odd, odd])).toMatch(/2 settings need .*\n {2}PORT is odd\n {2}PORT is odd\n/);
    expect(describeProblems([odd])).toMatch(/1 setting needs attention[\s\S]*npm run sandbox/);
    expect(messageOf({ ALERTS_TOKEN: 'fifteen-letters' })).toMatch(/ must have 16 .* openssl rand -hex 24 /);
  });

  it('quotes no secret, however wrong it is', () => {
    const names = `MicrosoftAppPassword AUTHORIZE_PASSWORD TICKET_PASSWORD SECRET_KEY ALERTS_TOKEN DATABASE_URL WEBHOOK_URL`;
    const message = messageOf({
      ...Object.fromEntries(names.split(' ').map((name) => [name, 'canary'])),
      NAC_URL: 'https://canary:canary@nac.example.com',
      NAC_PASSWORD: 'canary\u0000',
      WEBHOOK_TOKEN: 'canary/canary',
      HTTPS_PROXY: 'socks5://user:canary@proxy.example.com',
    });
    expect(message).toMatch(/1\d settings need attention[\s\S]* HTTPS_PROXY must be http:\/\/HOST:PORT/);
    expect(message).not.toContain('canary');
  });
});

const passwords = ['MicrosoftAppPassword', 'NAC_PASSWORD', 'AUTHORIZE_PASSWORD', 'TICKET_PASSWORD'];
const secrets = {
  ...{ ...AUTHORIZE, ...TICKET },
  ...Object.fromEntries(passwords.map((name) => [name, 'canary'])),
  SECRET_KEY: Buffer.from('canary-6'.repeat(4)).toString('base64'),
  ALERTS_TOKEN: 'canary-7-canary-7',
  DATABASE_URL: 'postgres://u:canary-8@db.example/bot',
};

it.each([
  ['base and token apart', { WEBHOOK_TOKEN: 'canary-3' }],
  ['the whole address', { WEBHOOK_URL: 'https://c.example/webhook/v2/canary-3', WEBHOOK_TOKEN: undefined }],
])('printed settings show no secret, with %s', (_, webhook) => {
  const settings = accept({ ...secrets, ...webhook }, SIGNED_IN);
  const printed = [settings, settings.webhook.address()].flatMap((each) => [
    JSON.stringify(each),
    inspect(each, { depth: Infinity, showHidden: true }),
    inspect(each, { depth: Infinity, customInspect: false }),
  ]);
  expect(settings.webhook.address().token.reveal()).toBe('canary-3');
  expect(printed.join()).not.toContain('canary');
  expect(printed.join()).not.toContain(secrets.SECRET_KEY);
});

describe('the settings of one command', () => {
  const DATABASE = /^(?:DATABASE_URL|DATA_DIR)/;
  const databaseIn = (environment: Record<string, string>) => {
    const read = readSettingsNamed(DATABASE, environment);
    return 'settings' in read ? read.settings.database : read.problems.map(({ name }) => name);
  };

  it.each([
    [{ PORT: 'x', NAC_URL: 'no address', WEBHOOK_TOKEN_FILE: '/nonexistent' }, { directory: '.data' }],
    [{ DATA_DIR: '/var/lib/bot' }, { directory: '/var/lib/bot' }],
    [{ DATABASE_URL: 'mysql://canary', PORT: 'x' }, ['DATABASE_URL']],
    [{ DATABASE_URL_FILE: '/nonexistent' }, ['DATABASE_URL_FILE', 'DATABASE_URL']],
  ])('are all that is read of %j', (environment, expected) => {
    expect(databaseIn(environment)).toEqual(expected);
  });

  it('may leave out what others need', () => {
    const environment = { TICKET_URL: 'https://t.example', https_proxy: 'x' };
    const read = readSettingsNamed(/^TICKET_|_PROXY$/i, environment);
    const names = 'problems' in read ? read.problems.map(({ name }) => name) : [];
    expect(names).toEqual(['https_proxy', 'TICKET_USERNAME', 'TICKET_PASSWORD']);
  });
});
