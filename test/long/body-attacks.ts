import { gzipSync } from 'node:zlib';
import type { Attacks } from './attacks.ts';
import type { HostileStage } from './hostile-stage.ts';
import { isFull } from './length.ts';

type Case = [
  status: number,
  headers: Record<string, string>,
  body: string | Uint8Array<ArrayBuffer>,
  path?: string,
];

const JSON_TYPE = { 'content-type': 'application/json' };
const GZIP = { ...JSON_TYPE, 'content-encoding': 'gzip' };
const TEXT = { 'content-type': 'text/plain' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=x' };

/** No body may keep the process longer. */
const MOST_MS = 3000;

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const group = (changes: object) =>
  JSON.stringify({ groupKey: 'k', status: 'resolved', alerts: [], ...changes });

const MESSAGES: readonly Case[] = [
  [415, TEXT, '{}'],
  [415, FORM, 'a=b'],
  [415, MULTIPART, '--x--'],
  [415, GZIP, gzipSync('x'.repeat(60_000_000))],
  [413, JSON_TYPE, 'x'.repeat(300_000)],
  [413, JSON_TYPE, `{"text":"${'x'.repeat(5_000_000)}"}`],
  [400, JSON_TYPE, '[['.repeat(60_000)],
  [400, JSON_TYPE, `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
  [400, JSON_TYPE, `"${'\\"'.repeat(100_000)}`],
  [400, JSON_TYPE, Buffer.from([0xff, 0xfe, 0x7b, 0x7d])],
  [400, JSON_TYPE, ''],
  [400, JSON_TYPE, 'null'],
  [400, JSON_TYPE, '[]'],
  [400, JSON_TYPE, '{"__proto__":{"type":"message"},"constructor":{"prototype":{}}}'],
];

/** Bodies without an address from a sender that knows the token; a sender may be taken over. */
const ALERTS: readonly Case[] = [
  [400, TEXT, 'port down\u0000\u0001'],
  [400, FORM, 'message=port%00down'],
  [400, JSON_TYPE, '{"text":'],
  [400, JSON_TYPE, nested(64)],
  [400, JSON_TYPE, nested(200_000)],
  [400, GZIP, 'no gzip'],
  [413, FORM, Array.from({ length: 6000 }, (_, index) => `f${index}=x`).join('&')],
  [413, JSON_TYPE, JSON.stringify(Array.from({ length: 100_000 }, () => 'x'))],
  [413, GZIP, gzipSync(`"${'x'.repeat(60_000_000)}"`)],
  [413, JSON_TYPE, `"${'x'.repeat(2_000_000)}"`],
  [415, MULTIPART, '--x--'],
  [415, { ...JSON_TYPE, 'content-encoding': 'deflate' }, '{}'],
  [415, { 'content-type': 'text/plain; charset=no-such' }, 'x'],
  [404, JSON_TYPE, JSON.stringify({ text: 'x', thread: 'x'.repeat(100_000) })],
  [404, JSON_TYPE, '{}', '/api/alerts/%00'],
  [404, JSON_TYPE, '{}', '/api/alerts?thread=%F0%9F%92%A9%00'],
  [202, JSON_TYPE, '{"__proto__":{"text":"x"},"constructor":{"prototype":{}}}'],
  [202, JSON_TYPE, group({ groupKey: 'x'.repeat(900_000) })],
  [202, JSON_TYPE, group({ groupKey: '\ud800\u0000' })],
  [202, JSON_TYPE, group({ alerts: Array.from({ length: 10_000 }, () => ({ labels: 1, startsAt: {} })) })],
  [202, TEXT, `${'00:'.repeat(300_000)}`],
  [202, TEXT, `${'<a '.repeat(300_000)}`],
  [202, TEXT, `${'&lt;'.repeat(200_000)}`],
];

const NO_TOKENS = [
  ...['', 'Bearer', 'Bearer x', 'Basic canary', `Bearer ${'x'.repeat(8000)}`],
  ...['Bearer canary-alerts-toke', 'Bearer canary-alerts-tokenX'],
];

export const bodyAttacks: Attacks = {
  'malformed bodies': (stage) => feed(stage, MESSAGES, '/api/messages', `Bearer ${stage.identity.issue({})}`),
  'hostile bodies of alerts, with the token': (stage) =>
    feed(stage, ALERTS, '/api/alerts', 'Bearer canary-alerts-token'),
  async 'alerts without the bearer token'(stage) {
    const cases = Array<Case>(isFull ? 50 : 5).fill([401, JSON_TYPE, '{"text":"AA:BB:CC:DD:EE:FF"}']);
    const faults = NO_TOKENS.map((authorization) => feed(stage, cases, '/api/alerts', authorization));
    return (await Promise.all(faults)).flat();
  },
};

async function feed(
  { request }: HostileStage,
  cases: readonly Case[],
  door: string,
  authorization: string,
): Promise<string[]> {
  const faults: string[] = [];
  for (const [index, [expected, headers, body, path = door]] of cases.entries()) {
    const begun = performance.now();
    const init = { method: 'POST', headers: { ...headers, ...(authorization && { authorization }) }, body };
    // Refusing an unread body ends the connection, and fetch may see that first.
    const mayEnd = [413, 415].includes(expected) && body.length > 16_384;
    const status = await request(path, init).then(
      (answer) => answer.status,
      (error) => (mayEnd ? expected : String(error)),
    );
    const ms = Math.round(performance.now() - begun);
    if (status !== expected || ms > MOST_MS)
      faults.push(`${door} ${index} got ${status} instead of ${expected}, after ${ms} ms`);
  }
  return faults;
}
