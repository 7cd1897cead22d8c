import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretsIn } from '../../src/domain/secret.ts';
import type { Settings } from '../../src/settings.ts';
import { AUTHORIZE, accept, refuse, SIGNED_IN, TICKET } from '../settings.ts';

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
  it('is read, for each of the ten secrets', () => {
    const ENDPOINTS = { ENDPOINTS_URL: 'https://e.example', ENDPOINTS_USERNAME: 'u' };
    const values = {
      MicrosoftAppPassword: 'one',
      NAC_PASSWORD: 'two',
      WEBHOOK_TOKEN: 'three',
      WEBHOOK_URL: 'https://file.example.com',
      AUTHORIZE_PASSWORD: 'four',
      TICKET_PASSWORD: 'five',
      ENDPOINTS_PASSWORD: 'six',
      SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
      ALERTS_TOKEN: 'six-six-six-six-',
      DATABASE_URL: 'postgres://db.example/bot',
    };
    const inFiles = Object.entries(values).flatMap(([name, value]) => [
      [name, undefined],
      [`${name}_FILE`, fileWith(`${value}\n`)],
    ]);
    const read = [values, Object.fromEntries(inFiles)].map((secrets) => {
      const settings = accept({ ...AUTHORIZE, ...TICKET, ...ENDPOINTS, ...secrets }, SIGNED_IN);
      const { base, token } = settings.webhook.address();
      return [base.origin, ...[token, ...secretsIn(settings)].map((secret) => secret.reveal())];
    });
    expect(read[1]).toEqual(read[0]);
    expect(read[1]?.toSorted()).toEqual(Object.values(values).toSorted());
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

  it('is a problem if the file is empty or cannot be read', () => {
    for (const file of ['/nonexistent/secret', '/', fileWith(''), fileWith('\n')])
      expect(refuse({ NAC_PASSWORD: undefined, NAC_PASSWORD_FILE: file })).toContain('NAC_PASSWORD_FILE');
  });

  it('is a problem if the environment holds it too', () => {
    expect(refuse({ NAC_PASSWORD_FILE: fileWith('another') })).toEqual(['NAC_PASSWORD']);
  });
});

describe('a file that changes while the bot runs', () => {
  it.each<[string, (text: string) => string]>([
    ['NAC_PASSWORD', (text) => text],
    ['WEBHOOK_TOKEN', (text) => text],
    ['ALERTS_TOKEN', (text) => text],
    ['WEBHOOK_URL', (text) => `https://chat.example.com/webhook/v2/${text}`],
  ])('yields the present %s, and the last value while the file is empty or missing', async (name, write) => {
    const file = fileWith(write('the-first-secret'));
    const changes = { ...(name === 'WEBHOOK_URL' && { WEBHOOK_TOKEN: undefined }), [name]: undefined };
    const settings = accept({ ...changes, [`${name}_FILE`]: file });
    const news: string[] = [];
    const now = () => present(settings, name);
    settings.watchFiles((...told) => void (now() && news.push(told.join(' ')))); // A log reads its secrets.
    expect(now()).toBe('the-first-secret');
    writeFileSync(file, `${write('the-second-secret')}\n`);
    expect(now()).toBe('the-second-secret');
    writeFileSync(file, '');
    expect(now()).toBe('the-second-secret');
    rmSync(file);
    expect(now()).toBe('the-second-secret');
    writeFileSync(file, write('the-third-secret'));
    expect(now()).toBe('the-third-secret');
    await Promise.resolve(); // News come after the reading.
    expect(news).toEqual([`${name} read`, `${name} unusable`, `${name} read`]);
  });

  it('keeps the last token of alerts while the file holds one of 15 characters', async () => {
    const file = fileWith('the-first-secret');
    const { alertsToken, watchFiles } = accept({ ALERTS_TOKEN_FILE: file });
    const news: string[] = [];
    watchFiles((...told) => void (alertsToken?.reveal() && news.push(told.join(' '))));
    for (const text of ['the-second-secret', 'fifteen-letters']) {
      writeFileSync(file, `${text}\n`);
      expect(alertsToken?.reveal()).toBe('the-second-secret');
    }
    await Promise.resolve();
    expect(news).toEqual(['ALERTS_TOKEN read', 'ALERTS_TOKEN unusable']);
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
