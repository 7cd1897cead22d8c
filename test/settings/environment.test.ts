import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeProblems, readSettings, type Settings } from '../../src/settings.ts';
import { accept, GOOD, refuse, SIGNED_IN } from '../settings.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'secrets-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function fileWith(text: string): string {
  const file = join(directory, `secret-${Math.random()}`);
  writeFileSync(file, text);
  return file;
}

describe('a secret in a file', () => {
  const key = Buffer.alloc(32, 1).toString('base64');
  const ticket = { TICKET_URL: 'https://t.example', TICKET_USERNAME: 'u' };
  const authorize = {
    AUTHORIZE_URL: 'https://a.example',
    AUTHORIZE_SDK_PREFIX: 'sdk',
    AUTHORIZE_USERNAME: 'u',
  };

  it('is read, for each of the nine secrets', () => {
    const values = {
      MicrosoftAppPassword: 'one',
      NAC_PASSWORD: 'two',
      WEBHOOK_TOKEN: 'three',
      WEBHOOK_URL: 'https://file.example.com',
      AUTHORIZE_PASSWORD: 'four',
      TICKET_PASSWORD: 'five',
      SECRET_KEY: key,
      ALERTS_TOKEN: 'six-six-six-six-',
      DATABASE_URL: 'postgres://db.example/bot',
    };
    const changes = Object.entries(values).flatMap(([name, value]) => [
      [name, undefined],
      [`${name}_FILE`, fileWith(`${value}\n`)],
    ]);
    const settings = accept({ ...ticket, ...authorize, ...Object.fromEntries(changes) }, SIGNED_IN);
    expect(settings.identity?.password?.reveal()).toBe('one');
    expect(settings.nac.password.reveal()).toBe('two');
    expect(settings.webhook.address().token.reveal()).toBe('three');
    expect(settings.webhook.address().base.href).toBe('https://file.example.com/');
    expect(settings.authorize?.password.reveal()).toBe('four');
    expect(settings.ticket?.password.reveal()).toBe('five');
    expect(settings.personal.keys?.[0].reveal()).toBe(key);
    expect(settings.alertsToken?.reveal()).toBe('six-six-six-six-');
    expect('url' in settings.database && settings.database.url.reveal()).toBe('postgres://db.example/bot');
  });

  it.each([
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    ['secret', 'secret'],
    [' spaced secret ', ' spaced secret '],
  ])('%j is the secret %j', (written, read) => {
    const changes = { NAC_PASSWORD: undefined, NAC_PASSWORD_FILE: fileWith(written) };
    expect(accept(changes).nac.password.reveal()).toBe(read);
  });

  it('may be a whole webhook address', () => {
    const pasted = fileWith('https://chat.example.com/team/webhook/tok\n');
    const settings = accept({
      WEBHOOK_URL: undefined,
      WEBHOOK_TOKEN: undefined,
      WEBHOOK_URL_FILE: pasted,
    });
    const { base, form, token } = settings.webhook.address();
    expect([base.href, form, token.reveal()]).toEqual(['https://chat.example.com/team', 'legacy', 'tok']);
  });

  it.each(['/nonexistent/secret', '/'])('is a problem if the file cannot be read (%s)', (file) => {
    expect(refuse({ NAC_PASSWORD: undefined, NAC_PASSWORD_FILE: file })).toContain('NAC_PASSWORD_FILE');
  });

  it.each(['', '\n'])('is a problem if the file is empty (%j)', (text) => {
    const changes = { NAC_PASSWORD: undefined, NAC_PASSWORD_FILE: fileWith(text) };
    expect(refuse(changes)).toContain('NAC_PASSWORD_FILE');
  });

  it('is a problem if the environment holds it too', () => {
    expect(refuse({ NAC_PASSWORD_FILE: fileWith('another') })).toEqual(['NAC_PASSWORD']);
  });

  it('is not quoted when it is wrong', () => {
    const wrong = fileWith('canary/canary\n');
    const read = readSettings({ ...GOOD, WEBHOOK_TOKEN: undefined, WEBHOOK_TOKEN_FILE: wrong });
    const message = describeProblems('problems' in read ? read.problems : []);
    expect(message).toContain('WEBHOOK_TOKEN');
    expect(message).not.toContain('canary');
  });
});

describe('a file that changes while the bot runs', () => {
  const rotations: [string, string, (text: string) => string][] = [
    ['NAC_PASSWORD', '', (text) => text],
    ['WEBHOOK_TOKEN', '', (text) => text],
    ['ALERTS_TOKEN', '', (text) => text],
    ['WEBHOOK_URL', 'pasted', (text) => `https://chat.example.com/webhook/v2/${text}`],
  ];

  it.each(rotations)(
    'yields the present %s %s, and the last value while the file is empty or missing',
    (name, _, write) => {
      const file = fileWith(write('the-first-secret'));
      const settings = accept({
        WEBHOOK_TOKEN: undefined,
        WEBHOOK_URL: 'https://chat.example.com/webhook/v2/first',
        ALERTS_TOKEN: undefined,
        ...(name === 'WEBHOOK_TOKEN' && { WEBHOOK_URL: 'https://chat.example.com' }),
        [name]: undefined,
        [`${name}_FILE`]: file,
      });
      const now = () => present(settings, name);
      expect(now()).toBe('the-first-secret');
      writeFileSync(file, `${write('the-second-secret')}\n`);
      expect(now()).toBe('the-second-secret');
      writeFileSync(file, '');
      expect(now()).toBe('the-second-secret');
      rmSync(file);
      expect(now()).toBe('the-second-secret');
      writeFileSync(file, write('the-third-secret'));
      expect(now()).toBe('the-third-secret');
    },
  );

  it('keeps the last token of alerts while the file holds one of 15 characters', () => {
    const file = fileWith('the-first-secret');
    const { alertsToken } = accept({ ALERTS_TOKEN_FILE: file });
    writeFileSync(file, 'fifteen-letters\n');
    expect(alertsToken?.reveal()).toBe('the-first-secret');
    writeFileSync(file, 'the-third-secret\n');
    expect(alertsToken?.reveal()).toBe('the-third-secret');
  });

  it('keeps the last webhook address while the file holds no valid address', () => {
    const file = fileWith('https://chat.example.com/webhook/tok');
    const { webhook } = accept({ WEBHOOK_URL: undefined, WEBHOOK_TOKEN: undefined, WEBHOOK_URL_FILE: file });
    for (const broken of [
      'https://',
      'http://chat.example.com/webhook/v2/tok',
      'chat.example.com:443/webhook/v2/tok',
      'https://chat.example.com',
    ]) {
      writeFileSync(file, broken);
      expect(webhook.address()).toMatchObject({ form: 'legacy' });
      expect(webhook.address().token.reveal()).toBe('tok');
    }
  });
});

function present({ nac, webhook, alertsToken }: Settings, name: string): string | undefined {
  if (name === 'NAC_PASSWORD') return nac.password.reveal();
  return name === 'ALERTS_TOKEN' ? alertsToken?.reveal() : webhook.address().token.reveal();
}

describe('a file of authorities', () => {
  it('is read once it holds a certificate', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
    const file = fileWith(pem);
    expect(accept({ NAC_TLS: `ca:${file}` }).nac.tls).toEqual({ kind: 'ca', pem });
    expect(refuse({ NAC_TLS: `ca:${fileWith('no certificate')}` })).toEqual(['NAC_TLS']);
  });
});
