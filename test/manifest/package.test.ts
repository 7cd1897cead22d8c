import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test, vi } from 'vitest';
import { buildPackage, fillManifest, readPackageSettings } from '../../manifest/package.ts';

const MicrosoftAppId = '12345678-abcd-4321-8888-0123456789ab';
const settings = { appId: MicrosoftAppId, host: 'bot.example.com' };
const part = (name: string) => readFileSync(new URL(`../../manifest/${name}`, import.meta.url));

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

  const SINGLE = [
    'bot',
    'localhost',
    '10.0.0.1',
    '[::1]',
    `${'x'.repeat(64)}.example.com`,
    `${'x.'.repeat(127)}com`,
  ];
  const NOT_A_HOST = ['bot.example.com:8443', 'https://bot.example.com:8443/', 'ftp://bot.example.com'];
  const BAD_LABELS = ['bot_1.example.com', '-bot.example.com', 'bot..example.com', 'bot.example.com.'];
  const HOSTILE = ['user:<PASSWORD>@bot.example.com', '{{PUBLIC_HOST}}.example.com', 'a".example.com'];
  test.each([...SINGLE, ...NOT_A_HOST, ...BAD_LABELS, ...HOSTILE])(
    '%j is refused, without quoting it',
    (text) => {
      expect(readPackageSettings({ MicrosoftAppId, PUBLIC_HOST: text }, undefined)).toEqual({
        problems: [{ name: 'PUBLIC_HOST', message: expect.stringContaining('must be a full DNS host name') }],
      });
    },
  );

  test('as an argument overrides the environment', () => {
    const env = { MicrosoftAppId, PUBLIC_HOST: 'not a host' };
    expect(readPackageSettings(env, 'bot.example.com')).toEqual({ settings });
  });
});

test.each(['app', '<APP_ID>', MicrosoftAppId.slice(1), `{${MicrosoftAppId}}`, `${MicrosoftAppId}","x":"`])(
  'the app id %j is refused',
  (appId) => {
    expect(readPackageSettings({ MicrosoftAppId: appId }, 'bot.example.com')).toEqual({
      problems: [{ name: 'MicrosoftAppId', message: expect.stringContaining('must be a GUID') }],
    });
  },
);

test('the package holds only the manifest and its icons, at its root', () => {
  const files = unzipSync(buildPackage(settings));
  const filled = fillManifest(part('manifest.json').toString(), settings);
  const { icons } = JSON.parse(filled);
  expect(Object.keys(files).sort()).toEqual(['manifest.json', icons.color, icons.outline].sort());
  expect(strFromU8(files['manifest.json'] ?? new Uint8Array())).toBe(filled);
  for (const name of [icons.color, icons.outline])
    expect(part(name).equals(files[name] ?? new Uint8Array())).toBe(true);
});

test('the same settings produce the same bytes, in any time zone', () => {
  const zoned = ['America/New_York', 'Asia/Kolkata'].map((zone) => {
    vi.stubEnv('TZ', zone);
    return Buffer.from(buildPackage({ ...settings })).toString('base64');
  });
  vi.unstubAllEnvs();
  expect(new Set(zoned).size).toBe(1);
});

/** Colour types of PNG (third edition, section 11.2.1): 2 has no transparency, 6 has. */
test.each([
  ['color.png', 192, 2],
  ['outline.png', 32, 6],
])('%s is a square of %i pixels, with the colour type %i, as Teams wants it', (name, side, type) => {
  const icon = part(name);
  expect(icon.toString('latin1', 1, 4)).toBe('PNG');
  expect([icon.readUInt32BE(16), icon.readUInt32BE(20), icon[25]]).toEqual([side, side, type]);
});
