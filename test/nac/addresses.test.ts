import { createServer } from 'node:https';
import { expect, it } from 'vitest';
import { makeCertificate } from '../certificate.ts';
import { type Answer, closedUrl, record, serve } from '../serve.ts';
import { MAC, MANY, openNacAt } from './open.ts';

const FOUND: Answer = { status: 200, body: '<sessionParameters/>' };
const fault = { status: 500 };

it('the circuit breaker opens after five failures in a row, for 5 s', async () => {
  const { url, received } = await record(fault, fault, fault, fault, fault, { status: 403 });
  const { lookUp, clock, isPaused } = openNacAt([url]);
  for (const address of MANY.slice(0, 5)) expect(await lookUp(address, address)).toMatchObject(fault);
  const until = clock.now + 5000;
  expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'paused', until, isForAll: true });
  expect([received.length, isPaused()]).toEqual([5, true]);
  clock.now = until;
  for (let time = 0; time < 2; time++) expect(await lookUp(MAC, 'bob')).toMatchObject({ kind: 'forbidden' });
});

it('the circuit breaker opens for a NAC whose certificate is not trusted', async () => {
  const { key, cert } = await makeCertificate(['127.0.0.1']);
  const url = await serve(createServer({ key, cert }));
  const { lookUp } = openNacAt([url.replace('http:', 'https:')]);
  for (const address of MANY.slice(0, 5))
    expect(await lookUp(address, 'bob')).toMatchObject({ fault: { kind: 'untrusted' } });
  expect(await lookUp(MAC, 'bob')).toMatchObject({ kind: 'paused' });
});

it.each<Answer>([
  { status: 500, body: '<mnt-rest-result>Session data is not available</mnt-rest-result>' },
  { status: 401 },
  { status: 403 },
  { status: 200, body: '<html></html>' },
  { status: 200, body: ' '.repeat(2_000_000) },
])('the circuit breaker counts no failure: $status', async (reply) => {
  const { url, received } = await record(reply);
  const { lookUp, password } = openNacAt([url]);
  for (const address of MANY.slice(0, 6)) {
    password.now = address; // No refused one rests.
    await lookUp(address, address);
  }
  expect(received).toHaveLength(6);
});

const serveStatus = async (status: number) => (await record({ status })).url;

it.each([
  ['refuses connections', closedUrl],
  ['answers 503', () => serveStatus(503)],
  ['hangs up', () => serve((request) => request.socket.destroy())],
  ['is silent', () => serve(() => {})],
])('of two addresses the second is asked when the first %s', async (_, first) => {
  const { lookUp } = openNacAt([await first(), (await record(FOUND)).url], { timeoutMs: 1000 });
  expect(await lookUp(MAC, 'bob')).toMatchObject({ kind: 'found' });
});

it.each([401, 403, 500, 404])('of two addresses the second is not asked after status %i', async (status) => {
  const second = await record(FOUND);
  const { lookUp } = openNacAt([await serveStatus(status), second.url]);
  expect((await lookUp(MAC, 'bob')).kind).not.toBe('found');
  expect(second.received).toEqual([]);
});

it('of two addresses only the second is asked while the first is paused', async () => {
  const [first, second] = [await record({ status: 503 }), await record({ status: 403 })];
  const { lookUp, isPaused } = openNacAt([first.url, second.url]);
  for (const address of MANY.slice(0, 7))
    expect(await lookUp(address, address)).toMatchObject({ kind: 'forbidden' });
  expect([first.received.length, second.received.length, isPaused()]).toEqual([5, 7, false]);
});

it("of two addresses the first one's fault is returned when both are down", async () => {
  const { lookUp } = openNacAt([await serveStatus(503), await closedUrl()]);
  expect(await lookUp(MAC, 'bob')).toEqual({ kind: 'fault', status: 503 });
});
