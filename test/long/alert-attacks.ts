import { gzipSync } from 'node:zlib';
import type { Attack } from './attacks.ts';

type Case = [status: number, headers: Record<string, string>, body: BodyInit, path?: string];

const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT = { 'content-type': 'text/plain' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** No body may keep the process longer. */
const MOST_MS = 3000;

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const group = (changes: object) =>
  JSON.stringify({ groupKey: 'k', status: 'resolved', alerts: [], ...changes });

/** Bodies without an address from a sender that knows the token; a sender may be taken over. */
const CASES: readonly Case[] = [
  [400, TEXT, 'port down\u0000\u0001'],
  [400, FORM, 'message=port%00down'],
  [400, JSON_TYPE, '{"text":'],
  [400, JSON_TYPE, nested(64)],
  [400, JSON_TYPE, nested(200_000)],
  [400, { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'no gzip'],
  [413, FORM, Array.from({ length: 6000 }, (_, index) => `f${index}=x`).join('&')],
  [413, JSON_TYPE, JSON.stringify(Array.from({ length: 100_000 }, () => 'x'))],
  [413, { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync(`"${'x'.repeat(60_000_000)}"`)],
  [413, JSON_TYPE, `"${'x'.repeat(2_000_000)}"`],
  [415, { 'content-type': 'multipart/form-data; boundary=x' }, '--x--'],
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

export const alertAttacks: readonly Attack[] = [
  {
    name: 'hostile bodies of alerts, with the token',
    async run({ request }) {
      const faults: string[] = [];
      for (const [index, [expected, headers, body, path = '/api/alerts']] of CASES.entries()) {
        const begun = performance.now();
        const authorization = 'Bearer canary-alerts-token';
        const init = { method: 'POST', headers: { ...headers, authorization }, body };
        // Refusing an unread body ends the connection, and fetch may see that first.
        const status = await request(path, init).then(
          (answer) => answer.status,
          () => (expected === 413 ? 413 : 0),
        );
        const ms = Math.round(performance.now() - begun);
        if (status !== expected) faults.push(`${index} got ${status} instead of ${expected}`);
        if (ms > MOST_MS) faults.push(`${index} took ${ms} ms`);
      }
      return { inputs: CASES.length, faults };
    },
  },
];
