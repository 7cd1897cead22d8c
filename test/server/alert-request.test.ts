import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Accepted, Alert } from '../../dialogs/alerts/incident-jobs.ts';
import { Secret } from '../../src/domain/secret.ts';
import { openBotServer } from './bot-server.ts';

const MAC = 'AA:BB:CC:DD:EE:FF';
const TOKEN = 'canary+token/1';
const MB = 1_048_576;

type Headers = Record<string, string>;
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const TEXT = { 'content-type': 'text/plain' };
const LATIN = { 'content-type': 'text/plain; charset=latin1' };
const GZIP = { ...JSON_TYPE, 'content-encoding': 'gzip' };

type Sent = { path?: string; headers?: Headers; auth?: Headers; body?: unknown };
type Options = { accepted?: Accepted; fault?: Error };

/** A server for alerts. `send` posts a body, or a value as JSON. */
async function open({ accepted = 'accepted', fault }: Options = {}) {
  const alerts: Alert[] = [];
  const faults: unknown[] = [];
  const accept = async (alert: Alert) => {
    if (fault) throw fault;
    alerts.push(alert);
    return accepted;
  };
  const onError = (error: unknown) => faults.push(error);
  const { ask, log } = await openBotServer({ alerts: { token: new Secret(TOKEN), accept, onError } });
  async function send({ path = '', headers = JSON_TYPE, auth, body = [MAC] }: Sent) {
    const all = { ...headers, ...(auth ?? { authorization: `Bearer ${TOKEN}` }) };
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const answered = await ask({ method: 'POST', path: `/api/alerts${path}`, headers: all, body: bytes });
    return { ...answered, body: JSON.parse(answered.body) };
  }
  return { alerts, faults, log, ask, send };
}

it.each<[string, Headers, unknown]>([
  ['own form', JSON_TYPE, { text: `down: ${MAC}` }],
  ['any JSON', JSON_TYPE, { a: [{ b: { c: [`x ${MAC}`] } }] }],
  ['a JSON string', JSON_TYPE, `"${MAC}"`],
  ['+json', { 'content-type': 'application/vnd.alert+json; charset=utf-8' }, `["${MAC}"]`],
  ['a form', FORM, 'device=sw&message=down+AA%3ABB%3ACC%3ADD%3AEE%3AFF'],
  ['a form whose name comes twice', FORM, `a=${MAC}&a=x`],
  ['text', TEXT, `port down ${MAC}`],
  ['text in another charset', LATIN, Buffer.from(`\xe9 ${MAC}`, 'latin1')],
  ['JSON without a type', {}, `{"a":"${MAC}"}`],
  ['text without a type', {}, `{down ${MAC}`],
  ['gzip', GZIP, gzipSync(`["${MAC}"]`)],
  ['1 MB', JSON_TYPE, `"${MAC} ${'x'.repeat(MB - 20)}"`],
  ['1 MB, packed', GZIP, gzipSync(`"${MAC} ${'x'.repeat(MB - 20)}"`)],
])('a body is read %s', async (_, headers, body) => {
  const { send, alerts } = await open();
  const lookups = [{ mac: MAC, id: expect.any(String) }];
  expect(await send({ headers, body })).toMatchObject({ status: 202, body: { lookups } });
  expect(alerts).toMatchObject([{ addresses: [MAC], leftOut: 0, thread: undefined }]);
});

it.each<[string, Headers, unknown]>([
  ['many names in a form', FORM, 'a&'.repeat(500_000)],
  ['much that is almost JSON', JSON_TYPE, Array(200_000).fill('[')],
  ['many small objects', JSON_TYPE, Array(90_000).fill({ a: 'x' })],
])('a body is read in less than a second of CPU, with %s', async (_, headers, body) => {
  const { send } = await open();
  const before = process.cpuUsage();
  await send({ headers, body });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});

it('a body is read without an address, and with the first 20 of more', async () => {
  const { send, alerts } = await open();
  const none = await send({ body: { status: 'test' } });
  expect([none.status, none.body]).toEqual([202, { lookups: [] }]);
  const macs = Array.from({ length: 23 }, (_, n) => `00:1B:54:00:70:${n + 10}`);
  const { status, body } = await send({ body: macs });
  expect([status, body.lookups.map(({ mac }: { mac: string }) => mac)]).toEqual([202, macs.slice(0, 20)]);
  expect(alerts[1]).toMatchObject({ addresses: macs.slice(0, 20), leftOut: 3 });
});

it.each([`port down ${MAC}`, `{"text":"port down ${MAC}"}`])('a body of curl is read: %s', async (body) => {
  const { send, alerts } = await open();
  await send({ headers: FORM, body });
  expect(alerts).toMatchObject([{ addresses: [MAC], details: { title: `port down ${MAC}` } }]);
});

it('an alert has a short key of its own for its incident', async () => {
  const { send, alerts } = await open();
  for (const groupKey of ['x'.repeat(1000), 'y']) await send({ body: { groupKey } });
  const [one, other] = alerts.map(({ details }) => details.incidentKey);
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(one).not.toBe(other);
});

it.each<[string, string | undefined, body?: unknown]>([
  ['/noc?thread=lab', 'noc'],
  ['/noc/', 'noc'],
  ['/b%C3%BCro', 'b\u00fcro'],
  ['?thread=lab', 'lab'],
  ['?thread=', 'body'],
  ['/', 'body'],
  ['', 'body'],
  ...[5, null, ''].map((thread): [string, string, unknown] => ['/noc', 'noc', { text: MAC, thread }]),
  ...[null, ''].map((thread): [string, undefined, unknown] => ['', undefined, { text: MAC, thread }]),
  ['', undefined, { mac: MAC, thread: { id: 5 } }], // Another sender's own form.
])('an alert to %s has the thread %s: %j', async (path, thread, body = { mac: MAC, thread: 'body' }) => {
  const { send, alerts } = await open();
  await send({ path, body });
  await send({ path, headers: FORM, body: `mac=${MAC}&thread=body` });
  expect(alerts).toMatchObject([{ thread }, { thread: thread ?? 'body' }]);
});

describe('a sender proves itself', () => {
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const query = `?token=${encodeURIComponent(TOKEN)}`;

  it.each([
    ['by a bearer token', { authorization: `bearer ${TOKEN}` }, ''],
    ['by Basic', { authorization: basic(`anyone:${TOKEN}`) }, ''],
    ['by Basic without a user name', { authorization: basic(`:${TOKEN}`) }, ''],
    ['by the address', {}, query],
    ['by the address, with a bare plus', {}, `?token=${TOKEN}`],
    ["by the address, behind a proxy's own header", { authorization: basic('proxy:secret') }, query],
  ])('%s', async (_, auth, path) => {
    expect((await (await open()).send({ path, auth })).status).toBe(202);
  });

  it.each([
    ['nothing', {}, ''],
    ['an empty token', { authorization: 'Bearer ' }, '?token='],
    ['a shorter token', { authorization: `Bearer ${TOKEN.slice(1)}` }, ''],
    ['the token as user name', { authorization: basic(`${TOKEN}:`) }, ''],
    ['Basic without a password', { authorization: basic(TOKEN) }, ''],
    ['a wrong token in the address', {}, '?token=canary-wrong'],
  ])('not by %s: 401, before the body is read, and no log has it', async (_, auth, search) => {
    const { send, alerts, log } = await open();
    const answered = await send({ path: `/noc${search}`, auth, body: 'x'.repeat(2 * MB) });
    expect(answered).toMatchObject({ status: 401, body: { status: 401 } });
    expect(answered.headers['www-authenticate']).toBe('Bearer, Basic realm="alerts"');
    expect(alerts).toEqual([]);
    expect(JSON.stringify([log, answered])).not.toContain('canary');
  });

  it('not where no token is set: 404', async () => {
    const { ask } = await openBotServer();
    expect((await ask({ method: 'POST', path: `/api/alerts${query}`, body: '{}' })).status).toBe(404);
  });

  it('not at an address without a route, whose token no log has', async () => {
    const { ask, log } = await open();
    for (const method of ['GET', 'PUT', 'DELETE'])
      for (const path of ['/api/alerts', '/api/alerts/noc/x', '/api/alert']) {
        const answered = await ask({ method, path: `${path}${query}` });
        expect([404, 405]).toContain(answered.status);
        expect(JSON.stringify([log, answered])).not.toContain('canary');
      }
  });
});

it.each(['%zz', '%E9', 'a/b', 'a'.repeat(3000)])('a name %j is an unknown thread', async (name) => {
  const { ask } = await open();
  const { status, headers, body } = await ask({ method: 'POST', path: `/api/alerts/${name}`, body: '{}' });
  expect([status, headers['content-type']]).toEqual([404, 'application/problem+json']);
  expect(JSON.parse(body)).toMatchObject({ status: 404, detail: expect.stringContaining('No thread') });
});

it.each<[string, Headers, unknown, number]>([
  ['another type', { 'content-type': 'text/html' }, MAC, 415],
  ['another encoding', { ...JSON_TYPE, 'content-encoding': 'br' }, MAC, 415],
  ['an unknown charset', { 'content-type': 'text/plain; charset=klingon' }, MAC, 415],
  ['over 1 MB', JSON_TYPE, `"${'x'.repeat(MB)}"`, 413],
  ['over 1 MB unpacked', GZIP, gzipSync('x'.repeat(60 * MB)), 413],
  ['a form of 100,000 fields', FORM, Array.from({ length: 100_000 }, (_, n) => `a${n}=`).join('&'), 413],
  ['nothing', JSON_TYPE, '', 400],
  ['an empty text', TEXT, '', 400],
  ['no JSON', JSON_TYPE, '{', 400],
  ['not gzip', GZIP, `["${MAC}"]`, 400],
  ['gzip that is cut off', GZIP, gzipSync(`["${MAC}"]`).subarray(0, 20), 400],
  ['not UTF-8', TEXT, Buffer.from([0x61, 0xff]), 400],
  ['control characters in JSON', JSON_TYPE, `["${MAC}\x01"]`, 400],
  ['65 levels', JSON_TYPE, '['.repeat(65) + ']'.repeat(65), 400],
  ['a million levels', JSON_TYPE, '['.repeat(MB - 2), 400],
])('a body is refused %s', async (_, headers, body, status) => {
  const { send, alerts } = await open();
  const answered = await send({ headers, body });
  expect(answered).toMatchObject({ status, body: { type: 'about:blank', status } });
  expect(answered.headers['content-type']).toBe('application/problem+json');
  expect(alerts).toEqual([]);
});

it.each<[Options, number, string | undefined]>([
  [{ accepted: 'unknown thread' }, 404, undefined],
  [{ accepted: 'other alert' }, 422, undefined],
  [{ accepted: 'full' }, 503, '60'],
  [{ accepted: 'too many' }, 503, '60'], // Some senders never repeat a 429.
  [{ fault: new Error('canary') }, 503, '10'],
])('a body is refused %j: %i, and a fault goes to the log alone', async (options, status, retryAfter) => {
  const { send, faults } = await open(options);
  const answered = await send({});
  expect([answered.status, answered.headers['retry-after']]).toEqual([status, retryAfter]);
  expect(JSON.stringify(answered)).not.toContain('canary');
  expect(faults).toEqual(options.fault ? [options.fault] : []);
});
