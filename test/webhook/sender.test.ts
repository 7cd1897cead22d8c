import { expect, it } from 'vitest';
import { Secret, type WebhookAddress } from '../../src/domain/secret.ts';
import type { Pause } from '../../src/domain/timing.ts';
import { sendText } from '../../src/webhook/sender.ts';
import { type Answer, closedUrl, openUpstream, record } from '../serve.ts';

const OK = { status: 200, body: '{"status":"OK"}' };
const MINUTE = 60_000;
const NOW = 1_000_000;

/** A sender to the room behind this base address. @returns the pauses that it began, by room */
function senderTo(base: string, { token = 'room-token', pause = undefined as Pause | undefined } = {}) {
  const address: WebhookAddress = { base: new URL(base), form: 'v2', token: new Secret(token) };
  const begun: Array<[room: string, Pause]> = [];
  const rests = {
    pauseOf: () => pause,
    beginPause: (room: string, each: Pause) => void begun.push([room, each]),
    read: async () => {},
  };
  const options = { upstream: openUpstream(), address: new Secret(address), rests, steady: () => NOW };
  return { address, begun, send: (text: string) => sendText(text, options) };
}

it.each<[what: string, answer: Answer, leftMs: number]>([
  ['for some seconds', { status: 503, headers: { 'retry-after': '7' } }, 7000],
  ['for a day', { status: 429, headers: { 'retry-after': '86400' } }, 15 * MINUTE],
  ['until a date', { status: 503, headers: { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' } }, 15 * MINUTE],
  ['for less than 30 s', { status: 429, headers: { 'retry-after': '2' } }, 2000],
  ['to wait, but not how long', { status: 429 }, 30_000],
  ['to wait until nonsense', { status: 429, headers: { 'retry-after': 'soon' } }, 30_000],
])('a room that asks for a pause %s gets it, 15 minutes at most', async (_, answer, leftMs) => {
  const { url } = await record(answer);
  const { send, begun } = senderTo(url);
  const failed = { kind: 'failed', status: answer.status, final: false };
  expect(await send('x')).toEqual({ ...failed, retryAfterMs: leftMs, left: 'x' });
  expect(begun).toEqual([[expect.stringMatching(/^\w{8}$/), { status: answer.status, until: NOW + leftMs }]]);
});

it('a room that says error, and asks for a pause, gets it, too', async () => {
  const { url } = await record({ status: 200, body: '{"error":"busy"}', headers: { 'retry-after': '7' } });
  const { send, begun } = senderTo(url);
  expect(await send('x')).toMatchObject({ kind: 'error verdict', final: false, left: 'x' });
  expect(begun).toMatchObject([[expect.any(String), { until: NOW + 7000 }]]);
});

it.each([503, 408, 302])('an answer %i that asks for nothing begins no pause', async (status) => {
  const { url } = await record({ status });
  const { send, begun } = senderTo(url);
  expect(await send('x')).toMatchObject({ kind: 'failed', retryAfterMs: 0 });
  expect(begun).toEqual([]);
});

it('a room that is paused gets no post', async () => {
  const { url, received } = await record(OK);
  const { send } = senderTo(url, { pause: { status: 429, until: NOW + 2000 } });
  const failed = { kind: 'failed', status: 429, retryAfterMs: 2000 };
  expect(await send('x')).toEqual({ ...failed, final: false, left: 'x' });
  expect(received).toEqual([]);
});

it('an outcome never holds the token', async () => {
  const { url } = await record({ status: 429, body: '{"error":"no such path: /webhook/v2/canary"}' });
  expect(JSON.stringify(await senderTo(url, { token: 'canary' }).send('x'))).not.toContain('canary');
});

it('an answer that does not come is passed on', async () => {
  const fault = { kind: 'no answer', fault: { kind: 'unreachable', code: 'ECONNREFUSED' } };
  expect(await senderTo(await closedUrl()).send('x')).toMatchObject({ ...fault, final: false, left: 'x' });
});

it('a text of 10,000 characters is one post, and one more makes two', async () => {
  const { url, received } = await record(OK);
  for (const length of [10_000, 10_001]) await senderTo(url).send('x'.repeat(length));
  expect(received).toHaveLength(3);
});

it('a changed address is used from the next post on', async () => {
  const { url, received } = await record({ status: 429 }, OK);
  const { send, address, begun } = senderTo(url);
  await send('x');
  Object.assign(address, { base: new URL(`${url}/new`), form: 'legacy', token: new Secret('second') });
  await send('x');
  const post = { method: 'POST', type: 'application/json', body: '{"text":"x"}' };
  const paths = ['/webhook/v2/room-token', '/new/webhook/second'];
  expect(received).toEqual(paths.map((path) => ({ ...post, path })));
  expect(begun).toHaveLength(1);
});
