import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { parseTlsMode, type TlsMode } from '../../src/http/trust.ts';
import { shakeHands } from '../../src/http.ts';
import { serveSecurely } from '../cli/secure-server.ts';
import { openProxy, wayThrough } from '../proxy.ts';
import { closedUrl, serve, unanswered } from '../serve.ts';

const INSECURE: TlsMode = { kind: 'insecure' };
const pinning = (text: string) => parseTlsMode(text) as TlsMode;
const within = (tls: TlsMode) => ({ tls, timeoutMs: 2000 });

it.each(['directly', 'through a proxy'])('reads a certificate %s, and sends no request', async (way) => {
  const asked: unknown[] = [];
  const { url, pin } = await serveSecurely((request) => asked.push(request.url));
  const proxy = await openProxy();
  onTestFinished(proxy.close);
  const wayOut = way === 'directly' ? undefined : wayThrough(proxy);
  for (const tls of [INSECURE, pinning(pin)]) {
    expect(await shakeHands(new URL(url), { ...within(tls), wayOut })).toEqual({
      kind: 'connected',
      certificate: { fingerprint: pin.slice('pin:'.length), validTo: expect.any(Date) },
    });
  }
  expect(asked).toEqual([]);
  expect(proxy.asked).toHaveLength(way === 'directly' ? 0 : 2);
});

it('judges the certificate as a call does', async () => {
  const { url } = await serveSecurely(() => {});
  expect(await shakeHands(new URL(url), within(pinning(`pin:${'AB'.repeat(32)}`)))).toEqual(
    unanswered({
      kind: 'untrusted',
      reason: 'wrong pin',
    }),
  );
  expect(await shakeHands(new URL(url), within({ kind: 'verify' }))).toEqual(
    unanswered({
      kind: 'untrusted',
      reason: 'unknown authority',
    }),
  );
});

it('connects over http without a certificate', async () => {
  const url = await serve(() => {});
  expect(await shakeHands(new URL(url), within({ kind: 'verify' }))).toEqual({
    kind: 'connected',
    certificate: undefined,
  });
});

it('says who is not there, and who says nothing', async () => {
  expect(await shakeHands(new URL(await closedUrl()), within(INSECURE))).toEqual(
    unanswered({
      kind: 'unreachable',
      code: 'ECONNREFUSED',
    }),
  );
  const silent = createServer((socket) => onTestFinished(() => void socket.destroy()));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void silent.close());
  const url = new URL(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  expect(await shakeHands(url, { tls: INSECURE, timeoutMs: 100 })).toMatchObject(
    unanswered({ kind: 'timed out' }),
  );
});
