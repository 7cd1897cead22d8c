import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { secretsIn } from '../../src/domain/secret.ts';
import type { Settings } from '../../src/settings.ts';
import { makeCertificate } from '../certificate.ts';
import { AUTHORIZE, accept, ENDPOINTS, refuse, SIGNED_IN, TICKET } from '../settings.ts';

const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
afterAll(() => rmSync(directory, { recursive: true }));

function fileWith(text: string): string {
  const file = join(directory, `secret-${Math.random()}`);
  writeFileSync(file, text);
  return file;
}

it('a secret in a file is read, for each of the ten secrets', () => {
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
    return [settings.webhook.address.reveal().base.origin, ...secretsIn(settings)];
  });
  expect(read[1]).toEqual(read[0]);
  expect(read[1]?.toSorted()).toEqual(Object.values(values).toSorted());
});

it.each([
  ['secret\n', 'secret'],
  ['secret\r\n', 'secret'],
  ['secret', 'secret'],
  [' spaced secret ', ' spaced secret '],
  ['\ufeffsecret\n', 'secret'],
])('a secret in a file %j is the secret %j', (written, read) => {
  const changes = { NAC_PASSWORD: undefined, NAC_PASSWORD_FILE: fileWith(written) };
  expect(accept(changes).nac.password.reveal()).toBe(read);
});

it('a secret in a file is a problem if empty, unreadable, or set twice', () => {
  for (const file of ['/nonexistent/secret', '/', fileWith(''), fileWith('\n')])
    expect(refuse({ NAC_PASSWORD: undefined, NAC_PASSWORD_FILE: file })).toContain('NAC_PASSWORD_FILE');
  expect(refuse({ DATABASE_URL_FILE: '/nonexistent/url' })).toEqual(['DATABASE_URL_FILE']);
  expect(refuse({ NAC_PASSWORD_FILE: fileWith('another') })).toEqual(['NAC_PASSWORD']);
});

const ADDRESS = 'https://chat.example.com/webhook/v2/';
const PATH = 'chat.example.com/webhook/v2/tok';
const WRONG = ['https://', ADDRESS, 'a.example:443/webhook/v2/tok', ADDRESS.slice(0, 24), `http://${PATH}`];

function holdChecks(): () => void {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  return () => vi.advanceTimersByTime(1000);
}

it.each<[name: string, before: string, wrong: readonly string[]]>([
  ['NAC_PASSWORD', '', ['with\u0000nul', '<PASSWORD>']],
  ['WEBHOOK_TOKEN', '', ['two words']],
  ['ALERTS_TOKEN', '', ['fifteen-letters']],
  ['WEBHOOK_URL', ADDRESS, [...WRONG, `${ADDRESS}<TOKEN>`, `https://u@${PATH}`]],
])('a file that changes yields the present %s, or the last valid one', (name, before, wrong) => {
  const passSecond = holdChecks();
  const file = fileWith(`${before}the-first-secret`);
  const changes = { ...(name === 'WEBHOOK_URL' && { WEBHOOK_TOKEN: undefined }), [name]: undefined };
  const settings = accept({ ...changes, [`${name}_FILE`]: file });
  const events: string[] = [];
  const reveal = () => revealed(settings, name);
  settings.watchFiles((...event) => void events.push(`${event.join(' ')}: ${reveal()}`));
  expect(reveal()).toBe('the-first-secret');
  for (const text of [`${before}the-second-secret\n`, ...wrong, '']) {
    const before = reveal();
    writeFileSync(file, text);
    expect(reveal()).toBe(before); // A file is read once a second.
    passSecond();
    expect(reveal()).toBe('the-second-secret');
  }
  rmSync(file);
  passSecond();
  expect(reveal()).toBe('the-second-secret');
  writeFileSync(file, `${before}the-third-secret`);
  passSecond();
  expect(reveal()).toBe('the-third-secret');
  const unusable = [...wrong, 'empty'].map(() => `${name} unusable: the-second-secret`);
  expect(events).toEqual([`${name} read: the-second-secret`, ...unusable, `${name} read: the-third-secret`]);
});

function revealed({ nac, webhook, alertsToken }: Settings, name: string): string | undefined {
  if (name === 'NAC_PASSWORD') return nac.password.reveal();
  return name === 'ALERTS_TOKEN' ? alertsToken?.reveal() : webhook.address.reveal().token.reveal();
}

it('a file of authorities is refused unless it holds valid certificates', async () => {
  const { cert: pem } = await makeCertificate(['nac.example.com']);
  expect(accept({ NAC_TLS: `ca:${fileWith(pem)}` }).nac.tls).toEqual({ kind: 'ca', pem });
  const broken = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
  for (const text of ['no certificate', broken, pem + broken])
    expect(refuse({ NAC_TLS: `ca:${fileWith(text)}` })).toEqual(['NAC_TLS']);
});
