import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { LookupOutcome } from '../../src/domain/outcome.ts';
import { createHealth, createObserver } from '../../src/ops/health.ts';
import { createMetrics } from '../../src/ops/metrics.ts';

const DEVICE = '00:1B:21:3A:4F:01' as DeviceAddress;

it('health keeps when a system was seen last, and since when its state lasts', () => {
  let now = 0;
  const health = createHealth(() => now);
  for (const [kind, since] of [
    ['ok', 1],
    ['failing', 2],
    ['failing', 2],
    ['ok', 4],
  ] as const) {
    now++;
    health.note('nac', kind);
    expect(health.seen()).toMatchObject({ nac: { kind, since, at: now }, chat: { kind: 'not asked yet' } });
  }
});

it('a bot is ready once it has started, and never again once it stops', () => {
  const { report, started, stopping } = createHealth(Date.now);
  const ready = [() => {}, started, stopping, started].map((step) => {
    step();
    return report('ok', false).ready;
  });
  expect(ready).toEqual([false, true, false, false]);
});

/** An observer with its health, and the lines that it logs. */
function openObserver() {
  const clock = { now: 0 };
  const written: string[] = [];
  const log = pino({}, { write: (line: string) => void written.push(line) });
  const health = createHealth(() => clock.now);
  const observe = createObserver(health, createMetrics(), log, () => clock.now);
  return { observe, health, clock, lines: () => written.map((line) => JSON.parse(line)) };
}

it('the log names the cause of an outage once, each lookup that failed, and the end', () => {
  const { observe, clock, lines } = openObserver();
  const failed: LookupOutcome = { kind: 'no answer', fault: { kind: 'unreachable', code: 'ECONNREFUSED' } };
  for (const outcome of [failed, failed, { kind: 'no session' }, { kind: 'no session' }] as const) {
    observe.lookup(DEVICE, outcome, 5);
    clock.now += 1000;
  }
  expect(lines()).toMatchObject([
    { msg: expect.stringContaining('check NAC_URL'), outcome: 'unreachable', code: 'ECONNREFUSED' },
    { msg: 'a lookup failed' },
    { msg: 'a lookup failed' },
    { msg: 'the NAC answers again', forMs: 2000 },
  ]);
});

it.each<LookupOutcome>([
  { kind: 'refused', whose: 'person' },
  { kind: 'forbidden', whose: 'person' },
  { kind: 'disconnected' },
  { kind: 'busy' },
])('an outcome says nothing of the NAC: %j', (outcome) => {
  const { observe, health } = openObserver();
  observe.lookup(DEVICE, outcome, 5);
  expect(health.seen().nac).toEqual({ kind: 'not asked yet' });
});

it('posts that the room refused for good are counted, and the log names why a post failed', () => {
  const { observe, health, lines } = openObserver();
  const untrusted = { kind: 'no answer', fault: { kind: 'untrusted', reason: 'expired' } };
  const failed = { kind: 'failed', status: 503, final: false };
  for (const outcome of [{ kind: 'posted' }, untrusted, failed, { kind: 'rejected', final: true }])
    observe.post(outcome);
  expect([health.refusedPosts(), health.report('ok', false).parts.webhook]).toEqual([1, 'failing']);
  expect(lines()).toMatchObject([{ reason: 'expired' }, { status: 503 }, { outcome: 'rejected' }]);
});
