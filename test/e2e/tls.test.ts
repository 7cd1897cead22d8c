import { X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { openStage } from '../stage.ts';

let server: Server;
let url: string;
let pin: string;
let requests = 0;

beforeAll(async () => {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  pin = new X509Certificate(made.cert).fingerprint256;
  server = createServer({ key: made.private, cert: made.cert }, (_request, response) => {
    requests++;
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(sessionXml({}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe('a NAC behind TLS', () => {
  it.each([
    [
      'verify',
      () => 'verify',
      'not asked, because the certificate of the NAC comes from an authority that the bot does not trust. Whoever runs the bot can check NAC_TLS.',
    ],
    [
      'a wrong pin',
      () => `pin:${'00'.repeat(32)}`,
      'not asked, because the certificate of the NAC does not match its pin. Whoever runs the bot can check NAC_TLS.',
    ],
  ])('with %s: the reply names certificate and system, and nothing was sent', async (_, mode, words) => {
    requests = 0;
    const stage = await openStage({ NAC_URL: url, NAC_TLS: mode() });
    const { texts } = await stage.say('lookup AA:BB:CC:DD:EE:FF');
    expect(texts[0]?.split('\n')).toEqual([
      `${words} AA:BB:CC:DD:EE:FF`,
      expect.stringMatching(/^Report number \d{6}\.$/),
    ]);
    await stage.close();
    expect(requests).toBe(0);
  });

  it.each([
    ['the right pin among others', () => `pin:${'00'.repeat(32)},${pin}`],
    ['insecure', () => 'insecure'],
  ])('with %s: it is asked', async (_, mode) => {
    const stage = await openStage({ NAC_URL: url, NAC_TLS: mode() });
    expect((await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts[0]).toContain('connected.');
    await stage.close();
  });
});
