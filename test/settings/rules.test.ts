import { expect, it } from 'vitest';
import { secretsIn } from '../../src/domain/secret.ts';
import type { Environment } from '../../src/settings/schema.ts';
import { AUTHORIZE, accept, ENDPOINTS, refuse, SIGNED_IN, TICKET } from '../settings.ts';

it.each([
  [' https://chat.example.com:8443/a/b/webhook/v2/tok\n', 'https://chat.example.com:8443/a/b', 'v2', 'tok'],
  ['https://chat.example.com/webhook/%E0%A4%A', 'https://chat.example.com/', 'legacy', '%E0%A4%A'],
  ['https://chat.example.com///webhook/v2/tok', 'https://chat.example.com//', 'v2', 'tok'],
])('a pasted %j is taken apart, whatever WEBHOOK_FORM says', (pasted, base, form, token) => {
  for (const WEBHOOK_FORM of ['v2', 'legacy']) {
    const changes = { WEBHOOK_URL: pasted, WEBHOOK_TOKEN: undefined, WEBHOOK_FORM };
    const webhook = accept(changes).webhook.address.reveal();
    expect([webhook.base.href, webhook.form, webhook.token.reveal()]).toEqual([base, form, token]);
  }
});

const CHAT = 'https://chat.example.com';
const KEY = Buffer.alloc(32, 7).toString('base64');
const NOBODY = { ALLOWED_TENANTS: undefined };
const PROXY = 'http://proxy.example.com:3128';
const LOCAL = 'http://127.0.0.1:8443';
const LOCALS = { NAC_URL: `https://nac.example.com,${LOCAL}`, BotOpenIdMetadata: LOCAL };

type Row = [changes: Environment, problems: string[]];
const plainHttp = Object.entries({ NAC: {}, WEBHOOK: {}, AUTHORIZE, TICKET, ENDPOINTS }).flatMap(
  ([name, rest]): Row[] => {
    const away = { ...rest, [`${name}_URL`]: 'http://10.0.0.1' };
    return [
      [{ ...rest, [`${name}_URL`]: 'http://[::1]:8080' }, []],
      [away, [`${name}_URL`]],
      [{ ...away, [`${name}_TLS`]: `pin:${'a'.repeat(64)}` }, [`${name}_URL`]],
      [{ ...away, [`${name}_TLS`]: 'insecure' }, []],
    ];
  },
);
const invisible = ['\u00a0', '\ufeff', ' ', '\t'].map(
  (each): Row => [{ NAC_URL: `${each}http://nac.example.com` }, ['NAC_URL']],
);
const groups = [AUTHORIZE, TICKET, ENDPOINTS].flatMap((group): Row[] => [
  [group, []],
  ...Object.entries(group).flatMap(([name, value]): Row[] => [
    [{ ...group, [name]: undefined }, [name]],
    [{ [name]: value }, Object.keys(group).filter((each) => each !== name)],
  ]),
]);

it.each<Row>([
  ...[...plainHttp, ...invisible, ...groups],
  [{ WEBHOOK_URL: `${CHAT}/webhook/v2/` }, ['WEBHOOK_URL']],
  [{ WEBHOOK_URL: `${CHAT}/webhook`, WEBHOOK_TOKEN: undefined }, ['WEBHOOK_URL']],
  [{ WEBHOOK_URL: `${CHAT}/webhook/tok`, WEBHOOK_TOKEN: 'tok' }, []],
  [{ WEBHOOK_URL: `${CHAT}/webhook/tok`, WEBHOOK_TOKEN: 'another' }, ['WEBHOOK_TOKEN']],
  [{ WEBHOOK_URL: `\u00a0${CHAT}`, WEBHOOK_TOKEN: undefined }, ['WEBHOOK_TOKEN']],
  [{ NAC_URL: 'https://a.example,http://b.example' }, ['NAC_URL']],
  [{ HOST: '127.0.0.1' }, []],
  [{ HOST: '192.0.2.7' }, ['HOST']],
  [{ ADMINS: 'a@b', ALLOWED_USERS: 'a b', ALLOWED_TENANTS: 'a.b' }, []],
  [{ PERSONAL_SIGN_IN: '1' }, ['SECRET_KEY']],
  [{ PERSONAL_SIGN_IN: '1', SECRET_KEY: KEY }, []],
  [{ ...LOCALS, HTTP_PROXY: PROXY }, ['NAC_URL', 'BotOpenIdMetadata']],
  [{ HTTPS_PROXY: PROXY, NO_PROXY: 'nac.example.com, 10.*' }, ['NO_PROXY']],
  [{ NO_PROXY: '10.*' }, []],
  [{ ...LOCALS, HTTP_PROXY: PROXY, NO_PROXY: '127.0.0.1' }, []],
  [{ ...LOCALS, HTTP_PROXY: 'http://localhost:3128' }, []],
  [{ ...LOCALS, HTTPS_PROXY: PROXY }, []],
  [{ NAC_URL: LOCAL, HTTP_PROXY: PROXY, NAC_TLS: 'insecure' }, []],
])('without identity, %j has problems %j', (changes, problems) => expect(refuse(changes)).toEqual(problems));

it.each<[changes: Environment, problems?: string[]]>([
  [{ HOST: '192.0.2.7' }, []],
  [{ BotOpenIdMetadata: 'http://127.0.0.1:9000/' }, []],
  [{ ALLOWED_TENANTS: '*' }, []],
  [{ ...NOBODY, ALLOWED_USERS: '*' }, []],
  [{ ...NOBODY, ALLOWED_CONVERSATIONS: '*' }, []],
  [{ ...NOBODY, ADMINS: '*' }, ['ALLOWED_TENANTS']],
  [{ MicrosoftAppType: 'UserAssignedMSI', MicrosoftAppPassword: undefined }, []],
  [{ MicrosoftAppType: 'MultiTenant', MicrosoftAppTenantId: undefined }, []],
  [{ MicrosoftAppId: '<APP_ID>' }],
  [{ MicrosoftAppTenantId: '<TENANT_ID>', ALLOWED_TENANTS: '<TENANT_ID>' }],
  [{ NAC_URL: 'https://<NAC_HOST>/' }],
  [{ NAC_URL: 'https://a.example,https://<SECOND>.example' }],
  [{ NAC_PASSWORD: ' <PASSWORD> ' }],
  [{ WEBHOOK_URL: `${CHAT}/webhook/v2/<WEBHOOK_TOKEN>`, WEBHOOK_TOKEN: '' }, ['WEBHOOK_URL']],
  [{ WEBHOOK_URL: 'https://%3CHOST%3E.example/webhook/v2/tok', WEBHOOK_TOKEN: '' }, ['WEBHOOK_URL']],
  [{ DATABASE_URL: 'postgres://bot:<PASSWORD>@db.example/bot' }],
  [{ PUBLIC_HOST: '<HOST>' }],
  [{ ADMINS: 'alex@example.com' }],
  [{ ALLOWED_USERS: 'a,alex@example.com' }],
  [{ ALLOWED_TENANTS: 'contoso.onmicrosoft.com' }],
  [{ NAC_PASSWORD: 'a<PASSWORD>' }, []],
  [{ NAC_USERNAME: 'svc<x>' }, []],
  [{ MicrosoftAppId: 'any text, even this' }, []],
  [{ ALLOWED_TENANTS: 'a b' }, []],
  [{ ALLOWED_CONVERSATIONS: '19:a@thread.tacv2' }, []],
  [{ ADMINS: '*' }, []],
])('with an identity, %j has the problems %j', (changes, problems = Object.keys(changes)) =>
  expect(refuse(changes, SIGNED_IN).toSorted()).toEqual(problems.toSorted()),
);

it('doubtful values are accepted and warned of', () => {
  const { doubts } = accept({ NAC_URL: 'https://a.example/admin', TOKENS_IGNORE: 'a,*' });
  expect(doubts.map(({ name }) => name)).toEqual(['NAC_URL', 'TOKENS_IGNORE']);
  expect(accept({ TOKENS_IGNORE: '*_*' }).doubts).toHaveLength(1);
  expect(accept({ TOKENS_IGNORE: 'Gigabit*' }).doubts).toEqual([]);
});

const LOWER = 'https://lower.example.com';
it.each<[Record<string, string>, https?: string | undefined, http?: string]>([
  [{}],
  [{ HTTPS_PROXY: '' }],
  [{ HTTPS_PROXY: PROXY }, PROXY],
  [{ http_proxy: LOWER }, undefined, LOWER],
  [{ HTTPS_PROXY: PROXY, https_proxy: LOWER, NO_PROXY: 'other.example' }, LOWER],
])('the way out with %j is %s for https, and %s for http', (env, https, http) => {
  const { proxies } = accept(env);
  expect([proxies?.https?.url.origin, proxies?.http?.url.origin]).toEqual([https, http]);
});

it('the way out has the exceptions of the name in lower case', () => {
  const isDirect = accept({ HTTPS_PROXY: PROXY, NO_PROXY: 'a', no_proxy: 'b' }).proxies?.isDirect;
  expect([isDirect?.('a', 443), isDirect?.('b', 443)]).toEqual([false, true]);
});

it('the way out carries a user and a password, which are kept secret', () => {
  const settings = accept({ HTTPS_PROXY: 'http://us%C3%A9r:canary%20p%40ss@proxy.example.com:3128' });
  const { url, account } = settings.proxies?.https ?? {};
  expect([url?.href, account?.username]).toEqual(['http://proxy.example.com:3128/', 'usér']);
  expect(JSON.stringify(settings)).not.toContain('canary');
  expect(secretsIn(settings)).toContain('canary p@ss');
});
