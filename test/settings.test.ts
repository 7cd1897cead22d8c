import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { describeProblems, readSettingsNamed } from '../src/settings.ts';
import { AUTHORIZE, accept, ENDPOINTS, GOOD, messageOf, refuse, SIGNED_IN, TICKET } from './settings.ts';

const MEANT = {
  ALOWED_TENANTS: 'ALLOWED_TENANTS',
  NAC_USERNAME_FILE: 'NAC_USERNAME',
  MicrosoftAppID: 'MicrosoftAppId',
  MICROSOFT_APP_ID: 'MicrosoftAppId',
  MicrosoftTenantId: 'MicrosoftAppTenantId',
  nac_url: 'NAC_URL',
  NAC_USER: 'NAC_USERNAME',
  NAC_BASE_URL: 'NAC_URL',
  PUBLIC_HOSTNAME: 'PUBLIC_HOST',
  BOT_NAC_URL: 'NAC_URL',
  LOOKUP_USER: 'LOOKUP_BY_USER',
  PERSONAL_TTL: 'PERSONAL_TTL_HOURS',
  Http_Proxy: 'HTTP_PROXY',
  DatabaseUrl: 'DATABASE_URL',
};

it.each(Object.entries(MEANT))('the name %s is taken for %s', (name, meant) => {
  expect(accept({ [name]: 'x' }).doubts).toEqual([{ name, message: `is no setting: is ${meant} meant?` }]);
});

it('usual variables of a machine are taken for no setting', () => {
  const names =
    `_ SHELL HOSTNAME AUDITING HOME PATH USER LC_ALL TZ HOSTTYPE NODE_OPTIONS NO_COLOR DEBUG CI ALL_PROXY FTP_PROXY
    no_proxy http_proxy https_proxy XDG_DATA_DIRS DOCKER_HOST KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
    AZURE_TENANT_ID AZURE_CLIENT_ID IDENTITY_ENDPOINT PGHOST PGPASSWORD npm_config_noproxy WEBSITE_HOSTNAME LS_COLORS
    POSTGRES_PASSWORD_FILE CONTAINER_ID`.split(/\s+/);
  const environment = Object.fromEntries(names.map((name) => [name, 'a.example']));
  expect(accept({ ...environment, http_proxy: '', https_proxy: '' }).doubts).toEqual([]);
});

it('a name that is nearly a setting is reported with the problems', () => {
  expect(refuse({ NAC_PASSWORD: undefined, NAC_PASWORD: 'x' })).toEqual(['NAC_PASSWORD', 'NAC_PASWORD']);
});

it('the minimal settings get what other settings decide, and defaults', () => {
  const settings = accept({});
  const MICROSOFT = ['*.botframework.com', 'smba.trafficmanager.net', '*.teams.microsoft.com'];
  expect(settings).toMatchObject({
    listen: { host: '127.0.0.1', port: 3978 },
    ops: { host: '127.0.0.1', port: 9464 },
    serviceHosts: { names: MICROSOFT, loopback: true },
    nac: { username: 'svc', history: true, ignoredTokens: [], tls: { kind: 'verify' } },
    webhook: { tls: { kind: 'verify' } },
    database: { directory: '.data' },
    personal: { signIn: false, ttlHours: 8 },
    audit: true,
  });
  expect(settings.allowed).toEqual({ channels: ['msteams', 'emulator', 'webchat'] });
  const { authorize, ticket, endpoints, proxies, identity, alertsToken } = settings;
  const optional = [authorize, ticket, endpoints, proxies, identity, alertsToken, settings.shown.publicUrl];
  expect(optional.filter((each) => each !== undefined)).toEqual([]);
  const { base, form, token } = settings.webhook.address.reveal();
  expect([base.href, form, token.reveal()]).toEqual(['https://chat.example.com/', 'v2', 'room-token']);
  expect(accept({ WEBHOOK_FORM: 'legacy' }).webhook.address.reveal().form).toBe('legacy');
});

it('the minimal settings treat an empty value as unset', () => {
  const empty = accept({ PORT: '', TICKET_URL: '', MicrosoftAppId: '', HOST: '' });
  expect(JSON.stringify(empty)).toBe(JSON.stringify(accept({})));
});

it('with authentication the bot listens everywhere, for Teams alone', () => {
  const { listen, serviceHosts, identity, allowed } = accept({}, SIGNED_IN);
  expect(allowed).toMatchObject({ channels: ['msteams'], admins: [] });
  expect(listen.host).toBe('0.0.0.0');
  expect(serviceHosts.loopback).toBe(false);
  expect(identity).toMatchObject({ appId: 'app', type: 'SingleTenant', tenantId: 'tenant' });
  expect(identity?.password?.reveal()).toBe('app-password');
});

const optional = ['ALLOW_UNAUTHENTICATED', 'MicrosoftAppId'];
it.each(
  [GOOD, SIGNED_IN].flatMap((good) =>
    Object.keys(good).flatMap((name) => (optional.includes(name) ? [] : [[name, good] as const])),
  ),
)('a missing one is named: %s', (name, good) => expect(refuse({ [name]: undefined }, good)).toEqual([name]));

it('missing settings are named all at once, with wrong ones', () => {
  const required = Object.keys(GOOD).filter((name) => name !== 'ALLOW_UNAUTHENTICATED');
  expect(refuse({}, {})).toEqual(['MicrosoftAppId', ...required]);
  const wrong = { PORT: 'x', NAC_USERNAME: undefined, HOST: '0.0.0.0', PERSONAL_SIGN_IN: '1' };
  expect(refuse(wrong).sort()).toEqual(['HOST', 'NAC_USERNAME', 'PORT', 'SECRET_KEY']);
});

it("the operator's message has a line a problem, and names the sandbox", () => {
  const odd = { name: 'PORT', message: 'is odd' };
  expect(describeProblems([odd, odd])).toMatch(/2 settings need .*\n {2}PORT is odd\n {2}PORT is odd\n/);
  expect(describeProblems([odd])).toMatch(/1 setting needs attention[\s\S]*npm run sandbox/);
  expect(messageOf({ ALERTS_TOKEN: 'fifteen-letters' })).toMatch(/ must have 16 .* openssl rand -hex 24 /);
});

it('the message for the operator quotes no secret, however wrong it is', () => {
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

it.each([
  ['base and token apart', { WEBHOOK_TOKEN: 'canary-3' }],
  ['the whole address', { WEBHOOK_URL: 'https://c.example/webhook/v2/canary-3', WEBHOOK_TOKEN: undefined }],
])('printed settings show no secret, with %s', (_, webhook) => {
  const passwords = ['MicrosoftAppPassword', 'NAC_PASSWORD', 'AUTHORIZE_PASSWORD', 'TICKET_PASSWORD'];
  const secrets = {
    ...{ ...AUTHORIZE, ...TICKET, ...ENDPOINTS, ENDPOINTS_PASSWORD: 'canary' },
    ...Object.fromEntries(passwords.map((name) => [name, 'canary'])),
    SECRET_KEY: Buffer.from('canary-6'.repeat(4)).toString('base64'),
    ALERTS_TOKEN: 'canary-7-canary-7',
    DATABASE_URL: 'postgres://u:canary-8@db.example/bot',
  };
  const settings = accept({ ...secrets, ...webhook }, SIGNED_IN);
  const address = settings.webhook.address.reveal();
  const options = { depth: Infinity, showHidden: true, customInspect: false };
  const printed = JSON.stringify([settings, address]) + inspect([settings, address], options);
  expect(address.token.reveal()).toBe('canary-3');
  expect(printed).not.toContain('canary');
  expect(printed).not.toContain(secrets.SECRET_KEY);
});

const NO_ACCOUNT = ['TICKET_USERNAME', 'TICKET_PASSWORD'];
const DATABASE = /^(?:DATABASE_URL|DATA_DIR)/;

it.each<[only: RegExp, environment: Record<string, string>, expected: object]>([
  [DATABASE, { PORT: 'x', NAC_URL: 'no', WEBHOOK_TOKEN_FILE: '/nonexistent' }, { directory: '.data' }],
  [DATABASE, { DATA_DIR: '/var/lib/bot' }, { directory: '/var/lib/bot' }],
  [DATABASE, { DATABASE_URL: 'mysql://canary', PORT: 'x' }, ['DATABASE_URL']],
  [DATABASE, { DATABASE_URL_FILE: '/nonexistent' }, ['DATABASE_URL_FILE']],
  [/^TICKET_|_PROXY$/i, { TICKET_URL: 'https://t.x', https_proxy: 'x' }, ['https_proxy', ...NO_ACCOUNT]],
])('the settings of one command named %s are all that is read of %j', (only, environment, expected) => {
  const read = readSettingsNamed(only, environment);
  const got = 'settings' in read ? read.settings.database : read.problems.map(({ name }) => name);
  expect(got).toEqual(expected);
});
