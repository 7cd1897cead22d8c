import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { generate } from 'selfsigned';

const DAY_MS = 86_400_000;

export type Certificate = { key: string; cert: string; pin: string };

/** @property name its own name; OpenSSL looks a trusted certificate up by it @property from, to in days from now @property ca who signs it */
type Wishes = { name?: string; from?: number; to?: number; isAuthority?: boolean; ca?: Certificate };

/** Makes a certificate for these host names and addresses, signed by itself unless an authority is named. */
export async function makeCertificate(hosts: readonly string[], wishes: Wishes = {}): Promise<Certificate> {
  const { name = String(hosts[0]), from = -1, to = 10, isAuthority = false, ca } = wishes;
  const altNames = hosts.map((host) =>
    isIP(host) ? ({ type: 7, ip: host } as const) : ({ type: 2, value: host } as const),
  );
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + from * DAY_MS),
    notAfterDate: new Date(Date.now() + to * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: isAuthority, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: isAuthority },
      { name: 'subjectAltName', altNames },
    ],
    ...(ca && { ca }),
  });
  return { key, cert, pin: new X509Certificate(cert).fingerprint256 };
}
