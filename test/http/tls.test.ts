import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type SecureContextOptions, type TlsOptions } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { TrustFault } from '../../src/domain/outcome.ts';
import type { WayOut } from '../../src/http/proxy.ts';
import { parseTlsMode } from '../../src/http/trust.ts';
import { createUpstream, type Upstream } from '../../src/http.ts';
import { openProxy, wayThrough } from '../proxy.ts';
import { serve, unanswered } from '../serve.ts';

const DAY_MS = 86_400_000;
const NAMES = ['own', 'other', 'elsewhere', 'expired', 'future', 'signed'] as const;
type Name = (typeof NAMES)[number];
type Certificate = { key: string; cert: string; file: string; pin: string };

let directory: string;
let authority: Certificate;
let certificates: Record<Name, Certificate>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'certificates-'));
  authority = await make('authority', { isAuthority: true });
  certificates = {
    own: await make('own'),
    other: await make('other'),
    elsewhere: await make('elsewhere', { host: 'nac.example.com' }),
    expired: await make('expired', { from: -10, to: -1 }),
    future: await make('future', { from: 1, to: 10 }),
    signed: await make('signed', { ca: authority }),
  };
});
afterAll(() => rmSync(directory, { recursive: true }));

type Wishes = { host?: string; from?: number; to?: number; isAuthority?: boolean; ca?: Certificate };

async function make(
  name: string,
  { host, from = -1, to = 10, isAuthority = false, ca }: Wishes = {},
): Promise<Certificate> {
  const altNames =
    host === undefined
      ? [{ type: 7, ip: '127.0.0.1' } as const, { type: 2, value: 'localhost' } as const]
      : [{ type: 2, value: host } as const];
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + from * DAY_MS),
    notAfterDate: new Date(Date.now() + to * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: isAuthority, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: isAuthority },
      { name: 'subjectAltName', altNames },
    ],
    ...(ca && { ca: { key: ca.key, cert: ca.cert } }),
  });
  const file = join(directory, `${name}.pem`);
  writeFileSync(file, made.cert);
  return { key: made.private, cert: made.cert, file, pin: new X509Certificate(made.cert).fingerprint256 };
}

/** A TLS server that answers anything with `ok`, closes each connection, and counts the bytes that it received. */
async function serveTls(certificate: SecureContextOptions, options: TlsOptions = {}) {
  const seen = { connections: 0, bytes: 0, resumed: 0 };
  const closed: Promise<void>[] = [];
  const server = createServer({ ...options, key: certificate.key, cert: certificate.cert });
  server.on('connection', (socket) => {
    seen.connections++;
    closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
  });
  server.on('secureConnection', (socket) => {
    if (socket.isSessionReused()) seen.resumed++;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      seen.bytes += data.length;
      socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok');
    });
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return {
    server,
    seen,
    url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    /** Returns what was seen, once every connection is gone. */
    async settled() {
      await Promise.all(closed);
      return seen;
    },
  };
}

let wayOut: WayOut | undefined;

/** Sends each call of a test directly, or through a proxy that must have been asked. */
async function chooseWay(way: string): Promise<void> {
  wayOut = undefined;
  if (way === 'directly') return;
  const proxy = await openProxy();
  wayOut = wayThrough(proxy);
  onTestFinished(async () => {
    expect(proxy.asked).not.toEqual([]);
    await proxy.close();
  });
}

function upstream(tls: string): Upstream {
  const mode = parseTlsMode(tls);
  if (typeof mode === 'string') throw new Error(mode);
  const made = createUpstream({ tls: mode, timeoutMs: 5000, maxBytes: 1000, wayOut });
  onTestFinished(made.close);
  return made;
}

const post = (to: Upstream, url: URL) =>
  to.call({ url, method: 'POST', headers: { authorization: 'canary' }, body: 'canary' });

const caOf = (certificate: Certificate) => `ca:${certificate.file}`;
const pinOf = (...several: Certificate[]) => `pin:${several.map(({ pin }) => pin).join(',')}`;

describe.each(['directly', 'through a proxy'])('a certificate that is accepted %s', (way) => {
  beforeEach(() => chooseWay(way));

  it.each<[string, Name, () => string]>([
    ['ca: the certificate itself', 'own', () => caOf(certificates.own)],
    ['ca: its authority', 'signed', () => caOf(authority)],
    ['pin: its fingerprint', 'own', () => pinOf(certificates.own)],
    [
      'pin: its fingerprint in lower case, without colons',
      'own',
      () =>
        pinOf(certificates.own)
          .replace(/(?<=:.*):/g, '')
          .toLowerCase(),
    ],
    ['pin: one of several', 'own', () => pinOf(certificates.other, certificates.own)],
    ['pin: of one for another host', 'elsewhere', () => pinOf(certificates.elsewhere)],
    ['pin: of one that has expired', 'expired', () => pinOf(certificates.expired)],
    ['insecure: self-signed', 'own', () => 'insecure'],
    ['insecure: for another host', 'elsewhere', () => 'insecure'],
    ['insecure: expired', 'expired', () => 'insecure'],
  ])('%s', async (_, presented, mode) => {
    const { url, settled } = await serveTls(certificates[presented]);
    expect(await post(upstream(mode()), url)).toMatchObject({ kind: 'answered', status: 200, text: 'ok' });
    expect((await settled()).bytes).toBeGreaterThan(0);
  });

  it('by name as well as by address', async () => {
    const { url } = await serveTls(certificates.own);
    url.hostname = 'localhost';
    expect(await post(upstream(caOf(certificates.own)), url)).toMatchObject({ kind: 'answered' });
  });
});

describe.each(['directly', 'through a proxy'])(
  'a certificate that is refused %s, with no byte of the request sent',
  (way) => {
    beforeEach(() => chooseWay(way));

    it.each<[string, Name, () => string, TrustFault]>([
      ['verify: self-signed', 'own', () => 'verify', 'unknown authority'],
      ['verify: of an authority that is not known', 'signed', () => 'verify', 'unknown authority'],
      ['ca: of another authority', 'own', () => caOf(certificates.other), 'unknown authority'],
      ['ca: signed, but by another authority', 'signed', () => caOf(certificates.own), 'unknown authority'],
      ['ca: for another host', 'elsewhere', () => caOf(certificates.elsewhere), 'wrong host name'],
      ['ca: expired', 'expired', () => caOf(certificates.expired), 'expired'],
      ['ca: not valid yet', 'future', () => caOf(certificates.future), 'expired'],
      ['pin: another', 'own', () => pinOf(certificates.other), 'wrong pin'],
      ['pin: several others', 'own', () => pinOf(certificates.other, certificates.elsewhere), 'wrong pin'],
      ["pin: its authority's", 'signed', () => pinOf(authority), 'wrong pin'],
    ])('%s', async (_, presented, mode, reason) => {
      const { url, settled } = await serveTls(certificates[presented]);
      expect(await post(upstream(mode()), url)).toEqual(unanswered({ kind: 'untrusted', reason }));
      expect(await settled()).toMatchObject({ connections: 1, bytes: 0 });
    });

    it('insecure and pin for one upstream leave the others as they are', async () => {
      const { url } = await serveTls(certificates.own);
      await post(upstream('insecure'), url);
      await post(upstream(pinOf(certificates.own)), url);
      expect(await post(upstream('verify'), url)).toEqual(
        unanswered({ kind: 'untrusted', reason: 'unknown authority' }),
      );
    });
  },
);

describe.each(['directly', 'through a proxy'])('a pin, %s,', (way) => {
  beforeEach(() => chooseWay(way));

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'is checked anew on each connection of %s: no session is resumed',
    async (version) => {
      const { url, seen, settled } = await serveTls(certificates.own, {
        minVersion: version,
        maxVersion: version,
      });
      const to = upstream(pinOf(certificates.own));
      for (let calls = 1; calls <= 3; calls++) {
        expect(await post(to, url)).toMatchObject({ kind: 'answered' });
        await settled();
        expect(seen).toMatchObject({ connections: calls, resumed: 0 });
      }
    },
  );

  it('refuses a certificate that replaces the right one', async () => {
    const { url, server, settled } = await serveTls(certificates.own);
    const to = upstream(pinOf(certificates.own));
    expect(await post(to, url)).toMatchObject({ kind: 'answered' });
    const { bytes } = { ...(await settled()) };
    server.setSecureContext({ key: certificates.other.key, cert: certificates.other.cert });
    expect(await post(to, url)).toEqual(unanswered({ kind: 'untrusted', reason: 'wrong pin' }));
    expect(await settled()).toMatchObject({ connections: 2, bytes });
  });

  it('does not stand in the way of plain http on loopback', async () => {
    const url = new URL(await serve((_, response) => void response.end('plain')));
    expect(await post(upstream(pinOf(certificates.own)), url)).toMatchObject({
      kind: 'answered',
      text: 'plain',
    });
  });
});

describe.each(['directly', 'through a proxy'])('an upstream that speaks, %s, no TLS we know', (way) => {
  beforeEach(() => chooseWay(way));

  it('is not trusted', async () => {
    const { url, settled } = await serveTls(certificates.own, {
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    expect(await post(upstream('insecure'), url)).toEqual(
      unanswered({ kind: 'untrusted', reason: 'no common TLS' }),
    );
    expect((await settled()).bytes).toBe(0);
  });
});
