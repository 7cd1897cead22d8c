import { describe, expect, test } from 'vitest';
import { readPackageSettings } from '../../manifest/package.ts';

const MicrosoftAppId = '12345678-abcd-4321-8888-0123456789ab';

describe('the host', () => {
  test.each([
    ['bot.example.com', 'bot.example.com'],
    [' Bot.Example.COM\n', 'bot.example.com'],
    ['https://bot.example.com/api/messages', 'bot.example.com'],
    ['HTTP://bot.example.com?x=1#y', 'bot.example.com'],
    ['bot.example.com/', 'bot.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['a-1.xn--p1ai', 'a-1.xn--p1ai'],
  ])('%j is read as %s', (text, host) => {
    expect(readPackageSettings({ MicrosoftAppId, PUBLIC_HOST: text }, undefined)).toEqual({
      settings: { appId: MicrosoftAppId, host },
    });
  });

  test.each([
    'bot',
    'localhost',
    '10.0.0.1',
    '[::1]',
    'bot.example.com:8443',
    'https://bot.example.com:8443/',
    'user:<PASSWORD>@bot.example.com',
    'ftp://bot.example.com',
    'bot_1.example.com',
    '-bot.example.com',
    'bot..example.com',
    'bot.example.com.',
    '{{PUBLIC_HOST}}.example.com',
    'a".example.com',
    `${'x'.repeat(64)}.example.com`,
    `${'x.'.repeat(127)}com`,
  ])('%j is refused, without quoting it', (text) => {
    const read = readPackageSettings({ MicrosoftAppId, PUBLIC_HOST: text }, undefined);
    expect(read).toEqual({
      problems: [{ name: 'PUBLIC_HOST', message: expect.stringContaining('must be a full DNS host name') }],
    });
  });

  test('as an argument overrides the environment', () => {
    const env = { MicrosoftAppId, PUBLIC_HOST: 'not a host' };
    expect(readPackageSettings(env, 'bot.example.com')).toHaveProperty('settings.host', 'bot.example.com');
  });
});

test.each(['app', '<APP_ID>', MicrosoftAppId.slice(1), `{${MicrosoftAppId}}`, `${MicrosoftAppId}","x":"`])(
  'the app id %j is refused',
  (appId) => {
    const read = readPackageSettings({ MicrosoftAppId: appId, PUBLIC_HOST: 'bot.example.com' }, undefined);
    expect(read).toEqual({
      problems: [{ name: 'MicrosoftAppId', message: expect.stringContaining('must be a GUID') }],
    });
  },
);
