import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { makeCertificate } from '../certificate.ts';
import { type Answer, closedUrl, record, serve } from '../serve.ts';
import { openNacAt } from './open.ts';

const MAC = 'AA:BB:CC:DD:EE:FF' as MacAddress;
const MANY = Array.from({ length: 7 }, (_, index) => `00:1B:54:00:70:0${index}` as MacAddress);
const FOUND: Answer = { status: 200, body: '<sessionParameters/>' };

describe('the circuit breaker', () => {
  it('opens after five failures in a row, and lets a call through after 5 s', async () => {
    const fault = { status: 500 };
    const { url, received } = await record(fault, fault, fault, fault, fault, { status: 403 });
    const { lookUp, clock, pausedUntil } = openNacAt([url]);
    for (const address of MANY.slice(0, 5)) expect(await lookUp(address, address)).toMatchObject(fault);
    const until = clock.now + 5000;
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'paused', until, isForAll: true });
    expect([received.length, pausedUntil()]).toEqual([5, until]);
    clock.now = until;
    for (let time = 0; time < 2; time++)
      expect(await lookUp(MAC, 'bob')).toMatchObject({ kind: 'forbidden' });
  });

  it('opens for a NAC whose certificate is not trusted: no call gets past it', async () => {
    const { key, cert } = await makeCertificate(['127.0.0.1']);
    const url = await serve(createServer({ key, cert }));
    const { lookUp } = openNacAt([url.replace('http:', 'https:')]);
    for (const address of MANY.slice(0, 5))
      expect(await lookUp(address, 'bob')).toMatchObject({ fault: { kind: 'untrusted' } });
    expect(await lookUp(MAC, 'bob')).toMatchObject({ kind: 'paused' });
  });

  it.each<[string, Answer]>([
    ['no session', { status: 500, body: '<mnt-rest-result>Session data is not available</mnt-rest-result>' }],
    ['credentials refused', { status: 401 }],
    ['not allowed', { status: 403 }],
    ['a login page', { status: 200, body: '<html></html>' }],
    ['too large', { status: 200, body: ' '.repeat(2_000_000) }],
  ])('counts no failure: %s', async (_, reply) => {
    const { url, received } = await record(reply);
    const { lookUp, password } = openNacAt([url]);
    for (const address of MANY.slice(0, 6)) {
      password.now = address; // No refused one rests.
      await lookUp(address, address);
    }
    expect(received).toHaveLength(6);
  });
});

describe('two addresses', () => {
  const serveStatus = async (status: number) => (await record({ status })).url;

  it.each([
    ['refuses connections', closedUrl],
    ['answers 503', () => serveStatus(503)],
    ['hangs up', () => serve((request) => request.socket.destroy())],
    ['is silent', () => serve(() => {})],
  ])('asks the second when the first %s', async (_, first) => {
    const second = await record(FOUND);
    const { lookUp } = openNacAt([await first(), second.url], { timeoutMs: 1000 });
    expect(await lookUp(MAC, 'bob')).toMatchObject({ kind: 'found' });
  });

  it.each([401, 403, 500, 404])('does not ask the second after status %i', async (status) => {
    const second = await record(FOUND);
    const { lookUp } = openNacAt([await serveStatus(status), second.url]);
    expect((await lookUp(MAC, 'bob')).kind).not.toBe('found');
    expect(second.received).toEqual([]);
  });

  it('asks only the second while the first is paused', async () => {
    const [first, second] = [await record({ status: 503 }), await record({ status: 403 })];
    const { lookUp, pausedUntil } = openNacAt([first.url, second.url]);
    for (const address of MANY) expect(await lookUp(address, address)).toMatchObject({ kind: 'forbidden' });
    expect([first.received.length, second.received.length, pausedUntil()]).toEqual([5, 7, undefined]);
  });

  it("returns the first address's fault when both are down", async () => {
    const { lookUp } = openNacAt([await serveStatus(503), await closedUrl()]);
    expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'fault', status: 503 });
  });
});
