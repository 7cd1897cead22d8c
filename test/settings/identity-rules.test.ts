import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/settings.ts';

const GOOD = {
  PORT: '0',
  OPS_PORT: '0',
  DATA_DIR: '/nowhere/at/all',
  NAC_URL: 'https://nac.example.com',
  NAC_USERNAME: 'svc',
  NAC_PASSWORD: 'canary-nac',
  WEBHOOK_URL: 'https://chat.example.com',
  WEBHOOK_TOKEN: 'canary-room',
};
const SIGNED = {
  ...GOOD,
  MicrosoftAppId: 'app',
  MicrosoftAppPassword: 'canary-app',
  MicrosoftAppType: 'SingleTenant',
  MicrosoftAppTenantId: 'tenant',
  ALLOWED_TENANTS: '*',
};

type Settings = Readonly<Record<string, string>>;

function without(name: string, settings: Settings = SIGNED): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([each]) => each !== name));
}

describe('the settings of an identity are refused, and name', () => {
  it.each<[string, Settings, string[]]>([
    ['the identity, if it is missing', GOOD, ['MicrosoftAppId']],
    ['the identity, if it is empty', { ...SIGNED, MicrosoftAppId: '' }, ['MicrosoftAppId']],
    ['the lists, if all are missing', without('ALLOWED_TENANTS'), ['ALLOWED_TENANTS']],
    ['the type, if it is missing', without('MicrosoftAppType'), ['MicrosoftAppType']],
    ['the type, if it is unknown', { ...SIGNED, MicrosoftAppType: 'singletenant' }, ['MicrosoftAppType']],
    ['the client secret, if it is missing', without('MicrosoftAppPassword'), ['MicrosoftAppPassword']],
    ['the tenant, if it is missing', without('MicrosoftAppTenantId'), ['MicrosoftAppTenantId']],
    [
      'the listener, on every interface without authentication',
      { ...GOOD, ALLOW_UNAUTHENTICATED: '1', HOST: '0.0.0.0' },
      ['HOST'],
    ],
    [
      'the sources of keys and tokens, over plain http',
      {
        ...SIGNED,
        BotOpenIdMetadata: 'http://login.botframework.example/v1/metadata',
        ToChannelFromBotLoginUrl: 'http://login.example/tenant',
      },
      ['BotOpenIdMetadata', 'ToChannelFromBotLoginUrl'],
    ],
    [
      'all wrong settings at once',
      {
        ...without('MicrosoftAppType', without('MicrosoftAppTenantId', without('ALLOWED_TENANTS'))),
        BotOpenIdMetadata: 'canary',
        SERVICE_HOSTS: ' , ',
        NAC_URL: 'canary',
      },
      [
        'MicrosoftAppType',
        'MicrosoftAppTenantId',
        'ALLOWED_TENANTS',
        'BotOpenIdMetadata',
        'SERVICE_HOSTS',
        'NAC_URL',
      ],
    ],
  ])('%s', (_, settings, names) => {
    const { problems = [] } = { problems: undefined, ...readSettings(settings) };
    expect(problems.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(JSON.stringify(problems)).not.toContain('canary');
  });
});
