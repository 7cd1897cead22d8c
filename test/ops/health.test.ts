import { expect, it } from 'vitest';
import { createHealth } from '../../src/ops/health.ts';

it('a system is remembered with when it was seen last, and since when it is so', () => {
  let now = 1000;
  const health = createHealth(() => now);
  expect(health.seen().nac).toEqual({ kind: 'not asked yet' });
  health.note('nac', 'ok');
  now = 2000;
  health.note('nac', 'failing');
  now = 3000;
  health.note('nac', 'failing');
  expect(health.seen()).toEqual({
    nac: { kind: 'failing', since: 2000, at: 3000 },
    webhook: { kind: 'not asked yet' },
    chat: { kind: 'not asked yet' },
  });
  now = 4000;
  health.note('nac', 'ok');
  expect(health.seen().nac).toEqual({ kind: 'ok', since: 4000, at: 4000 });
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
