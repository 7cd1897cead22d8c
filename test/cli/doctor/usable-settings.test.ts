import { expect, it } from 'vitest';
import { readUsableSettings } from '../../../src/cli/doctor/usable-settings.ts';
import type { Environment } from '../../../src/settings/environment.ts';
import { readSettings } from '../../../src/settings.ts';
import { GOOD, SIGNED_IN } from '../../settings.ts';

it('is what the start reads, if nothing is wrong', () => {
  const read = readSettings(SIGNED_IN);
  const { settings, problems, unusable } = readUsableSettings(SIGNED_IN);
  expect(JSON.stringify({ settings })).toBe(JSON.stringify(read));
  expect([problems, [...unusable]]).toEqual([[], []]);
});

it.each<[wrong: Environment, groups: string[]]>([
  [{ NAC_URL: undefined }, ['NAC']],
  [{ NAC_PASSWORD: undefined, NAC_PASSWORD_FILE: '/nowhere' }, ['NAC']],
  [{ WEBHOOK_URL: 'x', WEBHOOK_TLS: 'x' }, ['webhook']],
  [{ AUTHORIZE_URL: 'https://keys.example' }, ['authorization service']],
  [{ TICKET_URL: 'x', TICKET_USERNAME: 'svc', TICKET_PASSWORD: 'p' }, ['ticket service']],
  [{ MicrosoftAppType: 'x' }, ['identity']],
  [{ MicrosoftAppPassword: '' }, ['identity']],
  [{ MicrosoftAppId: undefined }, ['identity']],
  [{ ALLOWED_TENANTS: undefined }, []],
  [{ DATABASE_URL: 'mysql://x' }, ['database']],
  [{ DATABASE_URL_FILE: '/nowhere' }, ['database']],
  [{ https_proxy: 'x' }, ['proxy']],
  [{ HTTP_PROXY: 'http://proxy', NO_PROXY: 'a/b' }, ['proxy']],
  [{ HTTP_PROXY: 'http://proxy', NAC_URL: 'http://127.0.0.1' }, ['NAC']],
  [{ PORT: 'x', LOG_LEVEL: 'x', ALLOW_UNAUTHENTICATED: 'x', SECRET_KEY: 'x' }, []],
  [{ PERSONAL_SIGN_IN: '1' }, []],
  [{ SECRET_KEY_FILE: '/nowhere', SECRET_KEY: 'x' }, []],
])('leaves out only the group in which something is wrong: %o', (wrong, groups) => {
  const { settings, problems, unusable } = readUsableSettings({ ...SIGNED_IN, ...wrong });
  expect([...unusable]).toEqual(groups);
  expect(problems.length).toBeGreaterThan(0);
  if (!groups.includes('NAC')) expect(settings.nac.addresses[0]?.href).toBe('https://nac.example.com/');
  expect(settings.identity?.appId).toBe(groups.includes('identity') ? undefined : 'app');
});

it('remembers refusals in the same folder, whatever else is wrong', () => {
  const { settings } = readUsableSettings({ ...SIGNED_IN, DATA_DIR: '/data', DATABASE_URL: 'mysql://x' });
  expect(settings.dataDirectory).toBe('/data');
});

it.each<Environment>([{ HOST: '0.0.0.0' }, { ALLOW_UNAUTHENTICATED: undefined }, { PERSONAL_SIGN_IN: '1' }])(
  'reads the systems without an identity too: %o',
  (wrong) => {
    const { settings, problems } = readUsableSettings({ ...GOOD, ...wrong });
    expect(problems).toHaveLength(1);
    expect(settings.webhook.address().base.host).toBe('chat.example.com');
  },
);
