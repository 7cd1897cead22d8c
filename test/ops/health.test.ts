import { expect, it } from 'vitest';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { LookupOutcome } from '../../src/domain/outcome.ts';
import { createHealth, observeLookups, observePosts } from '../../src/ops/health.ts';
import { createLog } from '../../src/ops/log.ts';
import { createMetrics } from '../../src/ops/metrics.ts';

it('a system is remembered with when it was seen last, and since when it is so', () => {
  let now = 1000;
  const health = createHealth(() => now);
  expect(health.seen().nac).toEqual({ kind: 'not asked yet' });
  for (const [kind, since] of [
    ['ok', 1000],
    ['failing', 2000],
    ['failing', 2000],
    ['ok', 4000],
  ] as const) {
    health.note('nac', kind);
    expect(health.seen().nac).toEqual({ kind, since, at: now });
    now += 1000;
  }
  expect(health.seen().chat).toEqual({ kind: 'not asked yet' });
});

it('a bot is ready once it has started, and never again once it stops', () => {
  const { report, started, stopping } = createHealth(Date.now);
  const ready: boolean[] = [];
  for (const step of [() => {}, started, stopping, started]) {
    step();
    ready.push(report('ok', false).ready);
  }
  expect(ready).toEqual([false, true, false, false]);
});

/** What watches a bot's calls, at this time, with the lines that they log. */
function watch(now = () => 0) {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  const log = createLog({ level: 'info', secrets: [], destination });
  const health = createHealth(now);
  const metrics = createMetrics({
    version: '1.0.0',
    isDatabaseUp: () => true,
    nac: () => ({ running: 0, waiting: 0 }),
    isPaused: () => false,
    isResting: () => false,
    seesNobody: () => false,
    failing: health.failing,
    jobs: async () => ({}),
  });
  return { health, metrics, log, steady: now, lines: () => written.map((line) => JSON.parse(line)) };
}

it('the log names the cause of an outage once, each lookup that failed, and the end', async () => {
  let time = 0;
  const watcher = watch(() => time);
  const refused: LookupOutcome = { kind: 'no answer', fault: { kind: 'unreachable', code: 'ECONNREFUSED' } };
  const outcomes = [refused, refused];
  const lookUp = observeLookups(async () => outcomes.shift() ?? { kind: 'no session' }, watcher);
  for (; time < 4000; time += 1000) await lookUp('00:1B:21:3A:4F:01' as DeviceAddress, 'person');
  expect(watcher.lines()).toMatchObject([
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
])('says nothing of the NAC: %j', async (outcome) => {
  const watcher = watch();
  await observeLookups(async () => outcome, watcher)('00:1B:21:3A:4F:01' as DeviceAddress, 'person');
  expect(watcher.health.seen().nac).toEqual({ kind: 'not asked yet' });
});

it('posts that the room refused for good are counted, and the log says why a post failed', async () => {
  const watcher = watch();
  const untrusted = { kind: 'no answer', fault: { kind: 'untrusted', reason: 'expired' } } as const;
  const failed = { kind: 'failed', status: 503, final: false };
  const outcomes = [{ kind: 'posted' }, untrusted, failed, { kind: 'rejected', final: true }];
  for (const outcome of outcomes) await observePosts(async () => outcome, watcher)('text');
  expect(watcher.health.refusedPosts()).toBe(1);
  expect(watcher.health.report('ok', false).parts.webhook).toBe('failing');
  expect(watcher.lines()).toMatchObject([{ reason: 'expired' }, { status: 503 }, { outcome: 'rejected' }]);
});
