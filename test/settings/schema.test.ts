import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { fields } from '../../src/settings/schema.ts';
import { readSettings } from '../../src/settings.ts';
import { accept, ENDPOINTS, refuse } from '../settings.ts';

const link = 'https://nac.example.com:8443/admin?mac={mac}#/x/{mac}';
const pins = [`pin:${'ab:'.repeat(31)}ab`, `pin:${'a'.repeat(64)}, ${'B'.repeat(64)}`] as const;
const TWO = [{ href: 'https://a.example/p' }, { href: 'https://b.example:8443/' }];
const at = (href: string) => ({ shown: { publicUrl: { href } } });
const hosts = { names: ['a.example', '*.b.example'], loopback: false };
it.each<[Record<string, string>, object]>([
  [{ OPS_PORT: '0' }, { ops: undefined }],
  [{ NAC_URL: 'https://a.example/p , https://b.example:8443' }, { nac: { addresses: TWO } }],
  [{ PORT: '0' }, { listen: { port: 0 } }],
  [{ HOST: '[::1] ' }, { listen: { host: '::1' } }],
  [{ SERVICE_HOSTS: 'A.example:8443' }, { serviceHosts: { names: ['A.example:8443'] } }],
  [{ SERVICE_HOSTS: 'a.example, *.b.example,' }, { serviceHosts: hosts }],
  [{ NAC_MAC_FORM: 'hyphen' }, { nac: { macForm: 'hyphen' } }],
  [{ NAC_TIMEOUT_MS: '1500', NAC_CONCURRENCY: '1' }, { nac: { timeoutMs: 1500, concurrency: 1 } }],
  [{ NAC_HISTORY: '0' }, { nac: { history: false } }],
  [{ TOKENS_IGNORE: 'PAP_ASCII, Gigabit*' }, { nac: { ignoredTokens: ['PAP_ASCII', 'Gigabit*'] } }],
  [{ NAC_LINK: ` ${link} ` }, { nac: { link } }],
  [{ DATA_DIR: '/var/lib/bot' }, { database: { directory: '/var/lib/bot' } }],
  [{ AUDIT: '0' }, { audit: false }],
  [{ WATCH: '0' }, { shown: { canWatch: false } }],
  [{ LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
  [{ ALLOWED_USERS: ' a , b', ADMINS: '*' }, { allowed: { users: ['a', 'b'], admins: ['*'] } }],
  [{ NAC_TLS: pins[0] }, { nac: { tls: { kind: 'pin', fingerprints: ['AB'.repeat(32)] } } }],
  [{ WEBHOOK_TLS: pins[1] }, { webhook: { tls: { fingerprints: ['A'.repeat(64), 'B'.repeat(64)] } } }],
  [{ NAC_TLS: 'insecure' }, { nac: { tls: { kind: 'insecure' } } }],
  [{ ALLOWED_CONVERSATIONS: 'a;messageid=1, b' }, { allowed: { conversations: ['a', 'b'] } }],
  [{ PUBLIC_HOST: 'Bot.example.com' }, at('https://bot.example.com/')],
  [{ PUBLIC_HOST: 'https://bot.example.com/x' }, at('https://bot.example.com/')],
  [{ PUBLIC_HOST: '127.0.0.1:3978' }, at('http://127.0.0.1:3978/')],
  [{ STOP_DELAY_MS: '15000' }, { stopDelayMs: 15_000 }],
  [ENDPOINTS, { endpoints: { url: { hostname: 'e.example' }, username: 'u' } }],
  [{ PERSONAL_TTL_HOURS: '0.5' }, { personal: { ttlHours: 0.5 } }],
])('an accepted value %j', (changes, expected) => expect(accept(changes)).toMatchObject(expected));

it('SECRET_KEY may hold two keys: the new one, then the old', () => {
  const old = Buffer.alloc(32, 8).toString('base64');
  const { personal } = accept({ SECRET_KEY: `${KEY}, ${old}` });
  expect(personal.keys?.map((key) => key.reveal())).toEqual([KEY, old]);
});

const PROXIES = words(`proxy.example.com proxy.example.com:3128 socks5://proxy.example.com
  socks://user:canary@proxy.example.com:1080 http:// http://proxy.example.com/path http://proxy.example.com/?q
  http://user:canary%@proxy.example.com http://user:canary#@proxy.example.com http://user:canary%0A@proxy.example.com
  http://us%3Aer:canary@proxy.example.com`);

const KEY = bytes(32);

const WRONG: Readonly<Record<string, readonly string[]>> = {
  PORT: [...words('http -1 1.5 65536 0x10'), ' '],
  OPS_PORT: ['70000', 'off'],
  MicrosoftAppType: ['singletenant', 'Other'],
  BotOpenIdMetadata: words('keys ftp://keys.example.com http://keys.example.com/openid'),
  ToChannelFromBotLoginUrl: ['login', 'http://login.example.com/tenant'],
  ALLOW_UNAUTHENTICATED: ['true', '0', 'yes'],
  NAC_URL: words(`nac.example.com ftp://nac.example.com https://u:p@nac.example.com https://nac.example.com/?q
    https://nac.example.com/#f https://a.example, https://a.example,https://b.example,https://c.example https://`),
  NAC_USERNAME: ['a:b', 'a\nb'],
  NAC_PASSWORD: ['a\u0000b', 'a\r\nb'],
  NAC_MAC_FORM: ['dots', 'Colon'],
  NAC_TIMEOUT_MS: ['0', '-5', '20s', '1e3'],
  NAC_CONCURRENCY: ['0', 'many', '2.5'],
  STOP_DELAY_MS: ['-1', '5s', '600001'],
  ...sameFor('NAC_HISTORY AUDIT WATCH', ['off', 'false', '2']),
  NAC_LINK:
    words(`nac.example.com/{mac} http://nac.example.com/{mac} http://127.0.0.1/{mac} javascript:alert("{mac}")
    https://nac.example.com/endpoints https://nac.example.com/{MAC} https://u@nac.example.com/{mac}
    https://u:p@nac.example.com/{mac} https://{mac}@nac.example.com/ https://{mac}.example.com/
    https://nac.example.com:{mac}/ https:///{mac}`),
  WEBHOOK_URL:
    words(`chat.example.com chat.example.com:443 https://u@chat.example.com https://chat.example.com/?x
    ftp://chat.example.com`),
  WEBHOOK_TOKEN: [...words('a/b a\\b a?b a#b .. . %2e%2E'), 'a b'],
  WEBHOOK_FORM: ['v1', 'V2'],
  NAC_TLS: words(
    `none ca: ca:/nonexistent/ca.pem pin: pin:abc Verify pin:${'a'.repeat(64)}, pin:${'g'.repeat(64)}`,
  ),
  ...sameFor('WEBHOOK_TLS AUTHORIZE_TLS TICKET_TLS ENDPOINTS_TLS', ['off']),
  DATABASE_URL: [
    ...words('mysql://db db.example.com postgres://u:p@ss@db.example/x postgres://u:p@s/s@db.example/x'),
    ...words('postgres://u:p#ss@db.example.com/x postgres://u:100%@db.example.com/x'),
  ],
  ...sameFor('PERSONAL_SIGN_IN LOOKUP_BY_USER', ['true', '0']),
  PERSONAL_TTL_HOURS: words('0 -1 day 8761 Infinity NaN'),
  SECRET_KEY: [
    ...['short', bytes(31), bytes(33), '*'.repeat(44)],
    ...[`${KEY},`, `,${KEY}`, `${KEY},${bytes(31)}`, `${KEY},${KEY},${KEY}`],
  ],
  ...sameFor('HTTPS_PROXY https_proxy HTTP_PROXY http_proxy', PROXIES),
  ...sameFor('TOKENS_IGNORE ALLOWED_TENANTS ALLOWED_USERS ALLOWED_CONVERSATIONS ADMINS', [',', ' ,']),
  ALERTS_TOKEN: ['x', 'fifteen-letters', 'sixteen-letters-\n'],
  MicrosoftAppPassword: ['x\n'],
  SERVICE_HOSTS: words('https://a.example/ a.example/ a.example:https u@a.example *.*.example b\u00fccher.x'),
  PUBLIC_HOST: [
    ...words(`bot 10.0.0.1 bot.example.com:8443 https://bot.example.com:8443/ user@bot.example.com user@localhost:3978
      ftp://bot.example.com localhost:99999 a".example.com`),
    ' ',
  ],
  LOG_LEVEL: ['verbose', 'INFO'],
};

const cases = Object.entries(WRONG).flatMap(([name, all]) => all.map((value) => [name, value] as const));

it.each(cases)('only the wrong value is named %s=%j', (name, value) =>
  expect(new Set(refuse({ SECRET_KEY: KEY, [name]: value }))).toEqual(new Set([name])),
);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function sameFor(names: string, values: readonly string[]) {
  return Object.fromEntries(words(names).map((name) => [name, values]));
}

function bytes(count: number): string {
  return Buffer.alloc(count, 7).toString('base64');
}

const ROWS =
  readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8').match(/^\| `.*/gm) ?? [];
const namesIn = (row = '') => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name);
/** Proxies have names in lower case too, which the table names in its words. */
const NAMES = Object.keys(fields.shape).filter((name) => !/^[a-z]/.test(name));

it('docs/settings.md has each setting once, and no other', () =>
  expect(ROWS.flatMap(namesIn).toSorted()).toEqual(NAMES.toSorted()));

it('the example file has each setting once, and is accepted filled in', () => {
  const example = readFileSync(new URL('../../deploy/settings.env.example', import.meta.url), 'utf8');
  const names = [...example.matchAll(/^#?(\w+)=/gm)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(NAMES.toSorted());
  const read = readSettings(parseEnv(example.replaceAll(/<\w+>/g, 'filled-in')));
  expect(read).toMatchObject({ settings: { doubts: [] } });
});

it('docs/settings.md says each default that the schema has', () => {
  const defaults = Object.entries(fields.parse({})).filter(([, value]) => typeof value !== 'boolean');
  for (const [name, value] of defaults) {
    const row = ROWS.find((each) => namesIn(each).includes(name));
    const said = expect.stringContaining(typeof value === 'object' ? 'verify' : String(value));
    expect([name, row?.split('|')[2]]).toEqual([name, said]);
  }
});
