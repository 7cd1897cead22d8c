import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { LookupOutcome } from '../../src/domain/outcome.ts';
import * as ops from '../../src/ops/health.ts';
import { createMetrics, serveMetrics } from '../../src/ops/metrics.ts';

const DEVICE = '00:1B:21:3A:4F:01' as DeviceAddress;
const DAY_MS = 86_400_000;

/** A health with its observers, and the lines that it logs, parsed. */
function openHealth() {
  const clock = { now: 1000 };
  const now = () => clock.now;
  const written: string[] = [];
  const log = pino({}, { write: (line: string) => void written.push(line) });
  const health = ops.createHealth(now, log);
  const nac = ops.observeNac(health, createMetrics(), log);
  const chat = ops.observeChat(health, createMetrics());
  const room = ops.observeRoom(health, createMetrics(), log);
  const connections = ops.observeConnections(health.note, now);
  const lines = () => written.map((line) => JSON.parse(line)).filter(({ part }) => part !== undefined);
  const messages = () => lines().map(({ msg }) => msg);
  return { ...health, nac, chat, room, connections, clock, lines, messages };
}

it('a part keeps when it was seen last, and since when its state lasts', () => {
  const { note, find, clock } = openHealth();
  for (const [fault, since] of [
    [undefined, 1001],
    [{ cure: 'wait' }, 1002],
    [{ cure: 'look' }, 1002],
    [undefined, 1004],
  ] as const) {
    clock.now++;
    note('nac', fault);
    const state = fault ? 'failing' : 'ok';
    expect(find('nac')).toEqual({ part: 'nac', state, since, at: clock.now, ...fault });
  }
});

it('a bot is ready once it has started, and never again once it stops', () => {
  const { isReady, started, stopping } = openHealth();
  const ready = [() => {}, started, stopping, started].map((step) => {
    step();
    return isReady();
  });
  expect(ready).toEqual([false, true, false, false]);
});

it('each change of a part is one line, with its cure', () => {
  const { nac, clock, lines } = openHealth();
  const failed: LookupOutcome = { kind: 'no answer', fault: { kind: 'unreachable', code: 'ECONNREFUSED' } };
  for (const outcome of [failed, failed, { kind: 'no session' }, { kind: 'no session' }] as const) {
    nac.lookup(DEVICE, outcome, 5);
    clock.now += 1000;
  }
  const msg = 'nac failing (unreachable): check the port in NAC_URL, and whether the system runs';
  expect(lines()).toMatchObject([
    { level: 40, part: 'nac', msg, outcome: 'unreachable', code: 'ECONNREFUSED' },
    { level: 30, part: 'nac', msg: 'nac ok', forMs: 2000 },
  ]);
});

it.each<LookupOutcome>([
  { kind: 'refused', whose: 'person' },
  { kind: 'forbidden', whose: 'person' },
  { kind: 'disconnected' },
  { kind: 'busy' },
])('an outcome says nothing of the NAC: %j', (outcome) => {
  const { nac, find } = openHealth();
  nac.lookup(DEVICE, outcome, 5);
  expect(find('nac')).toEqual({ part: 'nac', state: 'not asked yet' });
});

it('each fault of a post is logged', () => {
  const { room, find, lines } = openHealth();
  const untrusted = { kind: 'no answer', fault: { kind: 'untrusted', reason: 'expired' } } as const;
  const failed = { kind: 'failed', status: 503 };
  for (const outcome of [{ kind: 'posted' }, untrusted, failed, { kind: 'rejected' }]) room(outcome);
  expect(find('webhook').state).toBe('failing');
  expect(lines()).toMatchObject([{}, { reason: 'expired' }, { status: 503 }, { outcome: 'rejected' }]);
});

it('the chat fails after five refused replies in three conversations', () => {
  const { chat, find, messages } = openHealth();
  const refuse = (...conversations: string[]) => {
    for (const conversation of conversations) chat.reply('gone', conversation);
    return find('chat').state;
  };
  expect(refuse('a', 'a', 'a', 'b', 'b', 'b')).toBe('not asked yet');
  chat.reply('sent', 'd');
  expect(refuse('a', 'a', 'b', 'c')).toBe('ok');
  expect(refuse('c')).toBe('failing');
  chat.reply('throttled', 'd');
  expect(find('chat')).toMatchObject({ state: 'failing', why: 'refused' });
  chat.reply('sent', 'd');
  for (const outcome of ['failed', 'failed', 'sent']) chat.reply(outcome, 'd');
  expect(messages()).toEqual([
    'chat ok',
    expect.stringMatching(/^chat failing \(refused\): .*every reply/),
    'chat ok',
    expect.stringMatching(/^chat failing \(failed\): replies do not reach/),
    'chat ok',
  ]);
});

it('a certificate that ends within 14 days is a fault, of any host', () => {
  const { connections, find, clock } = openHealth();
  const { onCertificate } = connections('nac', 'NAC');
  const endsIn = (host: string, days: number) => {
    const validTo = new Date(clock.now + days * DAY_MS);
    onCertificate?.(host, validTo);
    return find('nac certificate').state;
  };
  expect(endsIn('one', 15)).toBe('ok');
  expect(endsIn('two', 13)).toBe('ends on 1970-01-14');
  expect(endsIn('one', 15)).toBe('ends on 1970-01-14');
  expect(endsIn('two', -1)).toBe('ended on 1969-12-31');
  expect(endsIn('two', 365)).toBe('ok');
  clock.now += 2 * DAY_MS;
  onCertificate?.('two', undefined); // A session was resumed.
  expect(find('nac certificate').state).toBe('ends on 1970-01-16');
});

it.runIf(process.platform === 'linux')("six of Node's own series are served, each with a value", async () => {
  const log = pino({ level: 'silent' });
  const { url, close } = await serveMetrics(createMetrics(), { host: '127.0.0.1', port: 0 }, log);
  onTestFinished(() => void close());
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text.match(/^(?:process|nodejs)_.*/gm)).toHaveLength(6);
  expect(text).not.toMatch(/^(?:process|nodejs)_\w+ (?:0|NaN)$/m);
});
