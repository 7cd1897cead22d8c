import { expect, it } from 'vitest';
import * as work from '../../../dialogs/watch/watches.ts';
import type { Job } from '../../../src/domain/jobs.ts';
import { answered } from '../outcomes.ts';

const DEVICE = '00:1B:54:00:00:03';
const NOW = 1_000_000;
const MINUTE = 60_000;

const asker = (id: string): work.Watcher => {
  return { id, place: { reference: { serviceUrl: 'x', conversation: { id: 'noc' }, user: { id } } } };
};

const watch = (thread: string, dueAt: number): work.DeviceWatch => {
  const device = answered({ kind: 'no session' }, DEVICE);
  return { thread, device, askers: [asker('alex')], since: NOW - 60 * MINUTE, dueAt };
};

const jobOf = (...watches: work.DeviceWatch[]) => {
  return { key: DEVICE, data: { watches }, added: [], now: NOW, ageMs: 0 };
};

/** The work of a bot whose NAC cannot be asked now. */
function workWith(watchDevice: () => Promise<unknown>, canWatch = true) {
  const audited: object[] = [];
  const parts: Partial<Record<keyof work.WatchParts, unknown>> = {
    clock: { steady: () => 0, now: () => NOW },
    timing: { watchMs: 0 },
    settings: { canWatch },
    nac: { watch: watchDevice },
    audit: { info: (entry: object) => audited.push(entry) },
  };
  const run = (job: Job<work.WatchJob>) => work.workOnWatches(job, parts as work.WatchParts);
  return { run, audited };
}
const busy = async () => ({ kind: 'busy' });

it('the work on watches comes up again when the first of them is due', async () => {
  const { run } = workWith(busy);
  const next = { kind: 'again', afterMs: 5000 };
  expect(await run(jobOf(watch('a', NOW + MINUTE), watch('b', NOW + 5000)))).toMatchObject(next);
});

it('the work on watches leaves them due while no call can be made', async () => {
  const { run } = workWith(busy);
  const due = watch('a', NOW - MINUTE);
  expect(await run(jobOf(due))).toEqual({ kind: 'again', data: { watches: [due] }, afterMs: -MINUTE });
});

it('the work on watches ends them with an audit line where watching is off', async () => {
  const { run, audited } = workWith(busy, false);
  expect(await run(jobOf(watch('a', NOW)))).toMatchObject({ kind: 'done', data: { watches: [] } });
  expect(audited).toMatchObject([{ by: 'watch', event: 'end', person: 'alex' }]);
});

it('watches are counted one by one, with the age of the oldest that is due', async () => {
  const jobs = [jobOf(watch('a', NOW - MINUTE), watch('b', NOW + MINUTE)), jobOf(watch('a', NOW - 1))];
  const count = (open: typeof jobs) => {
    const list = async () => open;
    return work.countWatches({ jobs: { watch: { list } } } as never);
  };
  expect(await count(jobs)).toEqual({ count: 3, overdueSeconds: 60 });
  expect(await count([])).toEqual({ count: 0, overdueSeconds: 0 });
});
