import { gzipSync } from 'node:zlib';
import type { Attacks } from './attacks.ts';
import type { HostileStage } from './hostile-stage.ts';

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

/** No body may keep the process longer. */
const MOST_MS = 3000;

const group = (changes: object) =>
  JSON.stringify({ groupKey: 'k', status: 'resolved', alerts: [], ...changes });

/** Large and deep bodies; `test/server` has what else is refused. */
const MESSAGES: readonly Case[] = [
  [415, GZIP, gzipSync('x'.repeat(60_000_000))],
  [413, JSON_TYPE, `{"text":"${'x'.repeat(5_000_000)}"}`],
  [400, JSON_TYPE, '[['.repeat(60_000)],
  [400, JSON_TYPE, `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
  [400, JSON_TYPE, `"${'\\"'.repeat(100_000)}`],
  [400, JSON_TYPE, '{"__proto__":{"type":"message"},"constructor":{"prototype":{}}}'],
];

/** Bodies without an address from a sender that knows the token; a sender may be taken over. */
const ALERTS: readonly Case[] = [
  [400, JSON_TYPE, `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  [413, FORM, Array.from({ length: 6000 }, (_, index) => `f${index}=x`).join('&')],
  [413, GZIP, gzipSync(`"${'x'.repeat(60_000_000)}"`)],
  [404, JSON_TYPE, JSON.stringify({ text: 'x', thread: 'x'.repeat(100_000) })],
  [404, JSON_TYPE, '{}', '/api/alerts/%00'],
  [404, JSON_TYPE, '{}', '/api/alerts?thread=%F0%9F%92%A9%00'],
  [202, JSON_TYPE, '{"__proto__":{"text":"x"},"constructor":{"prototype":{}}}'],
  [202, JSON_TYPE, group({ groupKey: 'x'.repeat(900_000) })],
  [202, JSON_TYPE, group({ groupKey: '\ud800\u0000' })],
  [202, JSON_TYPE, group({ alerts: Array.from({ length: 10_000 }, () => ({ labels: 1, startsAt: {} })) })],
  ...['00:'.repeat(300_000), '<a '.repeat(300_000), '&lt;'.repeat(200_000)].map(
    (text): Case => [202, TEXT, text],
  ),
];

export const bodyAttacks: Attacks = {
  'large and deep messages': (stage) => feed(stage, MESSAGES, '/api/messages', stage.identity.issue({})),
  'hostile alerts, with the token': (stage) => feed(stage, ALERTS, '/api/alerts', 'canary-alerts-token'),
};

async function feed(
  { request }: HostileStage,
  cases: readonly Case[],
  door: string,
  token: string,
): Promise<string[]> {
  const faults: string[] = [];
  for (const [index, [expected, headers, body, path = door]] of cases.entries()) {
    const begun = performance.now();
    const init = { method: 'POST', headers: { ...headers, authorization: `Bearer ${token}` }, body };
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
