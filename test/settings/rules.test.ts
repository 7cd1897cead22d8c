import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretsIn } from '../../src/domain/secret.ts';
import { fields } from '../../src/settings/schema.ts';
import { readSettings } from '../../src/settings.ts';
import { AUTHORIZE, accept, ENDPOINTS, GOOD, refuse, SIGNED_IN, TICKET } from '../settings.ts';

describe('a pasted whole webhook address', () => {
  it.each([
    [' https://chat.example.com:8443/a/b/webhook/v2/tok\n', 'https://chat.example.com:8443/a/b', 'v2', 'tok'],
    ['https://chat.example.com/webhook/%E0%A4%A', 'https://chat.example.com/', 'legacy', '%E0%A4%A'],
    ['https://chat.example.com///webhook/v2/tok', 'https://chat.example.com//', 'v2', 'tok'],
  ])('%j is taken apart, whatever WEBHOOK_FORM says', (pasted, base, form, token) => {
    for (const WEBHOOK_FORM of ['v2', 'legacy']) {
      const changes = { WEBHOOK_URL: pasted, WEBHOOK_TOKEN: undefined, WEBHOOK_FORM };
      const webhook = accept(changes).webhook.address();
      expect([webhook.base.href, webhook.form, webhook.token.reveal()]).toEqual([base, form, token]);
    }
  });

  it.each(['/webhook/v2', '/webhook/v2/', '/webhook', '/webhook/'])(
    'without its token (%j) is a problem',
    (path) => {
      for (const WEBHOOK_TOKEN of [undefined, 'tok'])
        expect(refuse({ WEBHOOK_URL: `https://chat.example.com${path}`, WEBHOOK_TOKEN })).toEqual([
          'WEBHOOK_URL',
        ]);
    },
  );

  it('may come with the same token, but not with another', () => {
    const WEBHOOK_URL = 'https://chat.example.com/webhook/tok';
    expect(accept({ WEBHOOK_URL, WEBHOOK_TOKEN: 'tok' }).webhook.address().form).toBe('legacy');
    expect(refuse({ WEBHOOK_URL, WEBHOOK_TOKEN: 'another' })).toEqual(['WEBHOOK_TOKEN']);
  });

  it.each(['\u00a0', '\ufeff'])('still needs a token after the invisible character %j', (invisible) => {
    const changes = { WEBHOOK_URL: `${invisible}https://chat.example.com`, WEBHOOK_TOKEN: undefined };
    expect(refuse(changes)).not.toEqual([]);
  });
});

describe('plain http', () => {
  const upstreams = Object.entries({ NAC: {}, WEBHOOK: {}, AUTHORIZE, TICKET, ENDPOINTS });
  it.each(upstreams)('to the %s needs loopback or an explicit insecure', (name, rest) => {
    const [url, tls] = [`${name}_URL`, `${name}_TLS`];
    const away = { ...rest, [url]: 'http://10.0.0.1' };
    expect(refuse({ ...rest, [url]: 'http://[::1]:8080' })).toEqual([]);
    for (const mode of [undefined, `pin:${'a'.repeat(64)}`])
      expect(refuse({ ...away, [tls]: mode })).toEqual([url]);
    expect(refuse({ ...away, [tls]: 'insecure' })).toEqual([]);
  });

  it.each([
    'https://a.example,http://b.example',
    ...['\u00a0', '\ufeff', ' ', '\t'].map((invisible) => `${invisible}http://nac.example.com`),
  ])('is refused in %j too', (NAC_URL) => {
    expect(refuse({ NAC_URL })).toEqual(['NAC_URL']);
  });
});

describe('authentication', () => {
  const nobody = { ALLOWED_TENANTS: undefined };
  const MANAGED = { MicrosoftAppType: 'UserAssignedMSI', MicrosoftAppPassword: undefined };
  const MULTI_TENANT = { MicrosoftAppType: 'MultiTenant', MicrosoftAppTenantId: undefined };
  it.each<[string, object, object?, string[]?]>([
    ['off: HOST may be on loopback', { HOST: '127.0.0.1' }],
    ['off: no other HOST is accepted', { HOST: '192.0.2.7' }, GOOD, ['HOST']],
    ['on: any HOST is accepted', { HOST: '192.0.2.7' }, SIGNED_IN],
    ['on: keys may come from loopback', { BotOpenIdMetadata: 'http://127.0.0.1:9000/' }, SIGNED_IN],
    ['on: tenants are enough to say who may use the bot', { ALLOWED_TENANTS: '*' }, SIGNED_IN],
    ['on: users are', { ...nobody, ALLOWED_USERS: '*' }, SIGNED_IN],
    ['on: conversations are', { ...nobody, ALLOWED_CONVERSATIONS: '*' }, SIGNED_IN],
    ['on: admins are not', { ...nobody, ADMINS: '*' }, SIGNED_IN, ['ALLOWED_TENANTS']],
    ['on: a managed identity needs no password', MANAGED, SIGNED_IN],
    ['on: MultiTenant needs no tenant', MULTI_TENANT, SIGNED_IN],
  ])('%s', (_, changes, good = GOOD, problems = []) => {
    expect(refuse({ ...changes }, { ...good })).toEqual(problems);
  });
});

describe('a wrong value is named', () => {
  const WRONG: Array<[Record<string, string>, problems?: string[]]> = [
    [{ MicrosoftAppId: '<APP_ID>' }],
    [{ MicrosoftAppPassword: '<PASSWORD>' }],
    [{ MicrosoftAppTenantId: '<TENANT_ID>', ALLOWED_TENANTS: '<TENANT_ID>' }],
    [{ ALLOWED_USERS: 'a, <OBJECT_ID>' }],
    [{ ADMINS: '<OBJECT_ID>' }],
    [{ NAC_URL: 'https://<NAC_HOST>/' }],
    [{ NAC_URL: 'https://a.example,https://<SECOND>.example' }],
    [{ NAC_USERNAME: 'svc-<SITE>' }],
    [{ NAC_PASSWORD: ' <PASSWORD> ' }],
    [
      { WEBHOOK_URL: 'https://chat.example.com/webhook/v2/<WEBHOOK_TOKEN>', WEBHOOK_TOKEN: '' },
      ['WEBHOOK_URL'],
    ],
    [{ WEBHOOK_TOKEN: '<TOKEN>' }],
    [{ WEBHOOK_URL: 'https://%3CHOST%3E.example/webhook/v2/tok', WEBHOOK_TOKEN: '' }, ['WEBHOOK_URL']],
    [{ DATABASE_URL: 'postgres://bot:<PASSWORD>@db.example/bot' }],
    [{ PUBLIC_HOST: '<HOST>' }],
    [{ HTTPS_PROXY: 'http://<PROXY>:3128' }],
    [{ ALERTS_TOKEN: '<A_LONG_ALERTS_TOKEN>' }],
    [{ NAC_LINK: 'https://<HOST>/{mac}' }],
    [{ SERVICE_HOSTS: '<HOST>' }],
    [{ DATA_DIR: '<FOLDER>' }],
    [{ ADMINS: 'alex@example.com' }],
    [{ ADMINS: 'Alex Kim' }],
    [{ ALLOWED_USERS: 'a,alex@example.com' }],
    [{ ALLOWED_USERS: 'a b' }],
    [{ ALLOWED_TENANTS: 'contoso.onmicrosoft.com' }],
  ];
  it.each(WRONG)('with an identity: %j', (changes, problems = Object.keys(changes)) => {
    expect(refuse(changes, SIGNED_IN).toSorted()).toEqual(problems.toSorted());
  });

  it.each([
    { NAC_PASSWORD: 'a<PASSWORD>' },
    { NAC_USERNAME: 'svc<x>' },
    { MicrosoftAppId: 'any text, even this' },
    { ALLOWED_TENANTS: 'a b' },
    { ALLOWED_CONVERSATIONS: '19:a@thread.tacv2' },
    { ADMINS: '*' },
  ])('but not %j', (changes) => expect(refuse(changes, SIGNED_IN)).toEqual([]));

  it('ids of any form are accepted without an identity', () => {
    expect(refuse({ ADMINS: 'a@b', ALLOWED_USERS: 'a b', ALLOWED_TENANTS: 'a.b' })).toEqual([]);
  });

  it('doubtful values are accepted and warned of', () => {
    const { doubts } = accept({ NAC_URL: 'https://a.example/admin', TOKENS_IGNORE: 'a,*' });
    expect(doubts.map(({ name }) => name)).toEqual(['NAC_URL', 'TOKENS_IGNORE']);
    expect(accept({ TOKENS_IGNORE: '*_*' }).doubts).toHaveLength(1);
    expect(accept({ TOKENS_IGNORE: 'Gigabit*' }).doubts).toEqual([]);
  });
});

describe('settings that belong together', () => {
  it.each([AUTHORIZE, TICKET, ENDPOINTS])('are all accepted, or each missing one is named: %o', (group) => {
    expect(refuse(group)).toEqual([]);
    for (const [name, value] of Object.entries(group)) {
      expect(refuse({ ...group, [name]: undefined })).toEqual([name]);
      const others = Object.keys(group).filter((each) => each !== name);
      expect(refuse({ [name]: value })).toEqual(others);
    }
  });

  it('personal sign-in needs the key', () => {
    expect(refuse({ PERSONAL_SIGN_IN: '1' })).toEqual(['SECRET_KEY']);
    const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
    expect(accept({ PERSONAL_SIGN_IN: '1', SECRET_KEY }).personal).toMatchObject({ signIn: true });
  });
});

const TRICKY = [
  '1', '0', '-1', ',', '.', '..', '*', '%', '%E0%A4%A', 'v2', 'insecure', 'ca:', 'pin:', 'ca:\u0000', '\ufeff', '\u00a0', 'SingleTenant',
  'https://a.example', 'http://a.example', 'https://a.example/%', 'https://a.example/webhook/v2/%E0%A4%A', 'https://[', 'a:b/webhook/v2/t',
  'https://a.example///webhook/v2/t', '\u00a0https://a.example', 'mailto:a/webhook/t', 'https://a.example,https://b.example', '\ud800',
]; // biome-ignore format: a list of strings

it('any environment is read or refused, and never crashes', () => {
  const text = fc.oneof(fc.constantFrom(...TRICKY), fc.string(), fc.string({ unit: 'binary' }));
  const file = fc.constantFrom('', '/nonexistent', '/', 'a\u0000b', import.meta.filename);
  const model = Object.keys(fields.shape).flatMap((name) => [
    [name, text] as const,
    [`${name}_FILE`, file] as const,
  ]);
  const changes = fc
    .subarray(model, { maxLength: 6 })
    .chain((some) => fc.record(Object.fromEntries<fc.Arbitrary<string>>(some)));
  const good = fc.constantFrom<Record<string, string | undefined>>({}, GOOD, SIGNED_IN);
  fc.assert(
    fc.property(good, changes, (good, changed) => {
      const read = readSettings({ ...good, ...changed });
      expect('settings' in read || read.problems.length > 0).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

const PROXY = 'http://proxy.example.com:3128';

describe('the way out', () => {
  const LOWER = 'https://lower.example.com';
  it.each<[Record<string, string>, https?: string | undefined, http?: string]>([
    [{}],
    [{ HTTPS_PROXY: '' }],
    [{ NO_PROXY: '10.*, whatever' }],
    [{ HTTPS_PROXY: PROXY }, PROXY],
    [{ http_proxy: LOWER }, undefined, LOWER],
    [{ HTTPS_PROXY: PROXY, https_proxy: LOWER, NO_PROXY: 'other.example' }, LOWER],
  ])('with %j is %s for https addresses, and %s for http addresses', (env, https, http) => {
    const { proxies } = accept(env);
    expect([proxies?.https?.url.origin, proxies?.http?.url.origin]).toEqual([https, http]);
  });

  it('has the exceptions of the name in lower case, if both are set', () => {
    const isDirect = accept({ HTTPS_PROXY: PROXY, NO_PROXY: 'a', no_proxy: 'b' }).proxies?.isDirect;
    expect([isDirect?.('a', 443), isDirect?.('b', 443)]).toEqual([false, true]);
  });

  it('carries a user and a password, which are kept secret', () => {
    const settings = accept({ HTTPS_PROXY: 'http://us%C3%A9r:canary%20p%40ss@proxy.example.com:3128' });
    const { url, account } = settings.proxies?.https ?? {};
    expect([url?.href, account?.username]).toEqual(['http://proxy.example.com:3128/', 'usér']);
    expect(JSON.stringify(settings)).not.toContain('canary');
    expect(secretsIn(settings).map((secret) => secret.reveal())).toContain('canary p@ss');
  });

  it('has exceptions that can be read, if it is a proxy', () => {
    expect(refuse({ HTTPS_PROXY: PROXY, NO_PROXY: 'nac.example.com, 10.*' })).toEqual(['NO_PROXY']);
    expect(refuse({ http_proxy: PROXY, no_proxy: '10.*', NO_PROXY: 'nac' })).toEqual(['no_proxy']);
  });

  it('takes no plain http address on loopback to another machine', () => {
    const local = 'http://127.0.0.1:8443';
    const settings = { NAC_URL: `https://nac.example.com,${local}`, BotOpenIdMetadata: local };
    expect(refuse({ ...settings, HTTP_PROXY: PROXY })).toEqual(['NAC_URL', 'BotOpenIdMetadata']);
    for (const safe of [
      { HTTP_PROXY: PROXY, NO_PROXY: '127.0.0.1' },
      { HTTP_PROXY: 'http://localhost:3128' },
      { HTTPS_PROXY: PROXY },
    ])
      expect(refuse({ ...settings, ...safe })).toEqual([]);
    expect(refuse({ NAC_URL: local, HTTP_PROXY: PROXY, NAC_TLS: 'insecure' })).toEqual([]);
  });
});
