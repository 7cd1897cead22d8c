import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { systemClock } from '../../src/app/start.ts';
import type { Work } from '../../src/domain/jobs.ts';
import { createQueue } from '../../src/store/queues.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { newFolder, startContender } from './contenders.ts';
import { openBenchStage } from './stage.ts';
import { median, verdict } from './table.ts';

const NAC_MS = 200;

/** Measures the cost of many devices at once, and of many finished jobs. */
export async function* measureGrowth(): AsyncGenerator<string> {
  const devices = 500;
  const best = (Math.ceil(devices / 4) * NAC_MS) / 1000; // Four calls at a time, without a pause.
  const { calls, seconds } = await askAtOnce(devices);
  yield `${devices} devices at once: ${calls} calls to the NAC, all answered after ${seconds.toFixed(2)} s, ${best.toFixed(2)} s at best`;
  yield verdict('time for 500 devices, relative to the best possible', seconds / best, 'at most', 1.05);
  yield* longPast();
}

async function askAtOnce(devices: number) {
  const stage = await openBenchStage({ nacMs: NAC_MS });
  const running = await startContender('nac-lookup-bot', { environment: stage.environment });
  try {
    await stage.ask(running.messagesUrl, 1_000_000); // Another device, to warm up connections and code.
    const before = stage.calls();
    const replied = stage.replied(devices);
    const begun = performance.now();
    const ask = (_: unknown, device: number) => stage.ask(running.messagesUrl, device);
    await Promise.all(Array.from({ length: devices }, ask));
    await replied;
    return { calls: stage.calls() - before, seconds: (performance.now() - begun) / 1000 };
  } finally {
    await running.stop();
    await stage.close();
  }
}

/** Measures the cost of a queued job after many finished jobs. (A quick lookup does not touch the database.) */
async function* longPast(): AsyncGenerator<string> {
  const folder = await newFolder();
  let done = () => {};
  const onError = (error: unknown) => {
    throw error;
  };
  const watched = { onLost: onError, onBack() {}, onCommit() {}, onError };
  const store = await createStore({ directory: folder }, { clock: systemClock.steady, ...watched });
  const queue = createQueue(store, { name: 'lookup', schema: z.object({}), onError });
  const work: Work<Record<string, never>> = async () => {
    done();
    return { kind: 'done' };
  };
  const jobMs = async () => {
    const times: number[] = [];
    for (let index = 0; index < 200; index++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      done = resolve;
      const begun = performance.now();
      await queue.put(crypto.randomUUID(), {});
      await promise;
      times.push(performance.now() - begun);
    }
    return median(times);
  };
  try {
    void store.open(() => [queue.start({ work, onDead: async () => {} })]);
    await jobMs();
    const first = await jobMs();
    yield `a queued job with no past: ${first.toFixed(2)} ms`;
    let past = 0;
    for (const jobs of [10_000, 100_000, 1_000_000]) {
      await finishJobs(store, jobs - past);
      past = jobs;
      const [ms, number] = [await jobMs(), jobs.toLocaleString('en')];
      yield `a queued job with ${number} finished ones: ${ms.toFixed(2)} ms`;
      yield verdict(`queued job with ${number} finished, relative to none`, ms / first, 'at most', 1.3);
    }
  } finally {
    await store.close(1000);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Inserts the rows that the bot keeps for finished jobs. */
async function finishJobs({ query }: Store, count: number): Promise<void> {
  const step = 10_000;
  for (let made = 0; made < count; made += step) {
    await query(
      `with recursive number (n) as (select 1 union all select n + 1 from number where n < $1)
       insert into job (queue, id, state, data, due, at)
       select 'lookup', hex(randomblob(16)), 'done', '{"version":1,"key":"past","data":{}}', 0, now_ms() from number`,
      [Math.min(step, count - made)],
    );
  }
}
