import { X509Certificate } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';

/** Starts a server on loopback with a certificate of its own, and closes it when the test ends. `pin` stands for `X_TLS`. */
export async function serveSecurely(
  listener: RequestListener,
  { name = '127.0.0.1' } = {},
): Promise<{ url: string; pin: string; pem: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true },
      {
        name: 'subjectAltName',
        altNames: [name === '127.0.0.1' ? { type: 7, ip: name } : { type: 2, value: name }],
      },
    ],
  });
  const { url, close } = await listen(createServer({ key, cert }, listener));
  onTestFinished(close);
  const { fingerprint256 } = new X509Certificate(cert);
  return {
    url: url.replace('http:', 'https:'),
    pin: `pin:${fingerprint256.replaceAll(':', '')}`,
    pem: cert,
  };
}
