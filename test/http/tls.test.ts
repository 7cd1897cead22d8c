import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type SecureContextOptions, type TlsOptions } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { TrustFault } from '../../src/domain/outcome.ts';
import { type ProxyRoute, parseTlsMode } from '../../src/http/connection.ts';
import type { Upstream } from '../../src/http.ts';
import { type Certificate, makeCertificate } from '../certificate.ts';
import { openClosingProxy, wayThrough } from '../proxy.ts';
import { openUpstream, serve, unanswered } from '../serve.ts';
import { skipWithoutLocalhost } from '../skip-test.ts';

const NAMES = ['own', 'other', 'elsewhere', 'expired', 'future', 'signed', 'authority'] as const;
type Name = (typeof NAMES)[number];

const directory = mkdtempSync(join(tmpdir(), 'certificates-'));
let certificates: Record<Name, Certificate>;

beforeAll(async () => {
  const make = (name: Name, wishes = {}, hosts = ['127.0.0.1', 'localhost']) =>
    makeCertificate(hosts, { name, ...wishes });
  const authority = await make('authority', { isAuthority: true });
  certificates = {
    own: await make('own'),
    other: await make('other'),
    elsewhere: await make('elsewhere', {}, ['nac.example.com']),
    expired: await make('expired', { from: -10, to: -1 }),
    future: await make('future', { from: 1, to: 10 }),
    signed: await make('signed', { ca: authority }),
    authority,
  };
  for (const name of NAMES) writeFileSync(fileOf(name), certificates[name].cert);
});
afterAll(() => rmSync(directory, { recursive: true }));

const fileOf = (name: string) => join(directory, `${name}.pem`);

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
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return {
    server,
    seen,
    url: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async settled() {
      await Promise.all(closed);
      return seen;
    },
  };
}

let proxyRoute: ProxyRoute | undefined;

async function chooseWay(way: string): Promise<void> {
  proxyRoute = undefined;
  if (way === 'directly') return;
  const proxy = await openClosingProxy();
  proxyRoute = wayThrough(proxy);
  onTestFinished(() => expect(proxy.asked).not.toEqual([]));
}

function upstream(setting: string): Upstream {
  const mode = parseTlsMode(settingOf(setting));
  if (typeof mode === 'string') throw new Error(mode);
  return openUpstream({ tls: mode, proxyRoute });
}

const post = (to: Upstream, url: URL) =>
  to.call({ url, method: 'POST', headers: { authorization: 'canary' }, body: 'canary' });

/** Makes `ca:own` or `pin:other,own` the setting for the certificates of these names; the first pin with colons, others without. */
function settingOf(mode: string): string {
  const [kind, list = ''] = mode.split(':');
  if (kind === 'ca') return `ca:${fileOf(list)}`;
  const [first, ...others] = list.split(',').map((name) => certificates[name as Name]?.pin);
  return kind === 'pin'
    ? `pin:${[first, ...others.map((pin) => pin.replaceAll(':', '').toLowerCase())]}`
    : mode;
}

const OK = { kind: 'answered', status: 200, text: 'ok' };
const untrusted = (reason: TrustFault) => unanswered({ kind: 'untrusted', reason });

describe.each(['directly', 'through a proxy'])('%s, a certificate', (way) => {
  beforeEach(() => chooseWay(way));

  it.each<[mode: string, presented: Name, host?: string]>([
    ['ca:own', 'own', 'localhost'],
    ['ca:own', 'own'],
    ['ca:authority', 'signed'],
    ['pin:own', 'own'],
    ['pin:other,own', 'own'],
    ['pin:elsewhere', 'elsewhere'],
    ['pin:expired', 'expired'],
    ['insecure', 'own'],
    ['insecure', 'expired'],
  ])('is accepted under %s: %s', async (mode, presented, host = '127.0.0.1') => {
    if (host === 'localhost') await skipWithoutLocalhost();
    const { url, settled } = await serveTls(certificates[presented]);
    url.hostname = host;
    expect(await post(upstream(mode), url)).toMatchObject(OK);
    expect((await settled()).bytes).toBeGreaterThan(0);
  });

  it.each<[mode: string, presented: Name, TrustFault]>([
    ['verify', 'own', 'unknown authority'],
    ['verify', 'signed', 'unknown authority'],
    ['ca:other', 'own', 'unknown authority'],
    ['ca:own', 'signed', 'unknown authority'],
    ['ca:elsewhere', 'elsewhere', 'wrong host name'],
    ['ca:expired', 'expired', 'expired'],
    ['ca:future', 'future', 'expired'],
    ['pin:other', 'own', 'wrong pin'],
    ['pin:other,elsewhere', 'own', 'wrong pin'],
    ['pin:authority', 'signed', 'wrong pin'],
  ])('is refused under %s, with no byte of the request sent: %s, %s', async (mode, presented, reason) => {
    const { url, settled } = await serveTls(certificates[presented]);
    expect(await post(upstream(mode), url)).toEqual(untrusted(reason));
    expect(await settled()).toMatchObject({ connections: 1, bytes: 0 });
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('is compared with the pin each time: %s', async (version) => {
    const options = { minVersion: version, maxVersion: version };
    const { url, seen, settled } = await serveTls(certificates.own, options);
    const to = upstream('pin:own');
    for (let calls = 1; calls <= 3; calls++) {
      expect(await post(to, url)).toMatchObject(OK);
      await settled();
      expect(seen).toMatchObject({ connections: calls, resumed: 0 });
    }
  });

  it('that replaces the pinned one is refused', async () => {
    const { url, server, settled } = await serveTls(certificates.own);
    const to = upstream('pin:own');
    expect(await post(to, url)).toMatchObject(OK);
    const { bytes } = { ...(await settled()) };
    server.setSecureContext({ key: certificates.other.key, cert: certificates.other.cert });
    expect(await post(to, url)).toEqual(untrusted('wrong pin'));
    expect(await settled()).toMatchObject({ connections: 2, bytes });
  });

  it('is not asked for over plain http on loopback', async () => {
    const url = new URL(await serve((_, response) => void response.end('plain')));
    expect(await post(upstream('pin:own'), url)).toMatchObject({ kind: 'answered', text: 'plain' });
  });

  it('under no TLS that we know is not trusted', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const { url, settled } = await serveTls(certificates.own, old);
    expect(await post(upstream('insecure'), url)).toEqual(untrusted('no common TLS'));
    expect((await settled()).bytes).toBe(0);
  });
});
