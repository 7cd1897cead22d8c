import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { systemClock } from '../../src/app/start.ts';
import type { Work } from '../../src/domain/jobs.ts';
import { TIMING } from '../../src/domain/timing.ts';
import { JobQueue } from '../../src/store/queue.ts';
import { Store } from '../../src/store/store.ts';
import { QueueWorkers } from '../../src/store/workers.ts';
import { newFolder, withContender } from './contenders.ts';
import type { BenchStage } from './stage.ts';
import { median, verdict } from './table.ts';

/** Linear growth costs the same for each; noise and fixed costs are less than this. */
const LINEAR = 1.3;

/** One table of what grows, and what each costs: devices of a question, jobs that wait, alerts of an incident. */
export async function* measureGrowth(): AsyncGenerator<string> {
  yield '| what grows | | ms for each | of the first |\n| --- | ---: | ---: | ---: |';
  const verdicts: string[] = [];
  for (const [what, unit, measure, sizes] of [
    ['devices of a question', 'CPU ms a device', deviceMs, [1, 2, 5, 10, 20]],
    ['jobs that wait', 'ms from put to done', jobMs, [10, 100, 1000, 10_000]],
    ['alerts of an incident', 'CPU ms for each of the last 50', alertMs, [50, 100, 250, 500]],
  ] as const) {
    const costs = await measure(sizes);
    const [first = Number.NaN] = costs;
    for (const [index, size] of sizes.entries()) {
      const cost = costs[index] ?? Number.NaN;
      yield `| ${what} (${unit}) | ${size.toLocaleString('en')} | ${cost.toFixed(2)} | ${(cost / first).toFixed(2)} |`;
    }
    const growth = Math.max(...costs) / (costs[0] ?? Number.NaN);
    verdicts.push(verdict(`${what}: the most expensive relative to the first`, growth, 'at most', LINEAR));
  }
  yield* verdicts;
}

const withBot = <Result>(
  use: (stage: BenchStage, messagesUrl: string, cpuMs: () => Promise<number>) => Promise<Result>,
) =>
  withContender('nac-lookup-bot', {}, async (bot, stage) => {
    for (let sent = 0; sent < 3000; sent++) await stage.ask(bot.messagesUrl);
    return use(stage, bot.messagesUrl, async () => (await bot.usage()).cpuMs);
  });

const DEVICES_ASKED = 1000;

const deviceMs = (sizes: readonly number[]) =>
  withBot(async (stage, messagesUrl, cpuMs) => {
    for (const size of sizes) await stage.ask(messagesUrl, size);
    const costs: number[] = [];
    for (const size of sizes) {
      const before = await cpuMs();
      for (let asked = 0; asked < DEVICES_ASKED; asked += size) await stage.ask(messagesUrl, size);
      costs.push(((await cpuMs()) - before) / DEVICES_ASKED);
    }
    return costs;
  });

/** How long a job takes from its put to its end, while others wait that are due tomorrow. */
async function jobMs(sizes: readonly number[]): Promise<number[]> {
  const folder = await newFolder();
  let done = () => {};
  const onError = (error: unknown) => {
    throw error;
  };
  const watched = { onState() {}, commits: { observe() {} }, onError };
  const store = new Store({ database: { directory: folder }, clock: systemClock, ...watched });
  const queue = new JobQueue(store, { name: 'lookup', schema: z.object({}), leaseMs: TIMING.leaseMs });
  const work: Work<Record<string, never>> = async () => {
    done();
    return { kind: 'done' };
  };
  async function oneJobMs(): Promise<number> {
    const times: number[] = [];
    for (let index = 0; index < 300; index++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      done = resolve;
      const begun = performance.now();
      await queue.put(crypto.randomUUID(), {});
      await promise;
      times.push(performance.now() - begun);
    }
    return median(times);
  }
  try {
    const options = { work, onDead: async () => {}, timing: TIMING, onError };
    void store.open(() => [new QueueWorkers(queue, options)]);
    await oneJobMs();
    const costs: number[] = [];
    let waiting = 0;
    for (const size of sizes) {
      const puts = Array.from({ length: size - 2 - waiting }, () =>
        queue.put(crypto.randomUUID(), {}, 86_400_000),
      );
      await Promise.all(puts);
      waiting = size - 2; // The queue takes 10,000 jobs: the measured one too, and the one before, which ends meanwhile.
      costs.push(await oneJobMs());
    }
    return costs;
  } finally {
    await store.close(1000);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The alerts whose cost is taken: the last of each size. */
const WINDOW = 50;
/** The time from an incident's last alert to its message, at most. All alerts may name 600 devices a minute. */
const TOLD_MS = 4000;

/** The cost of one more alert and its message, in an incident of so many alerts about one device. */
const alertMs = (sizes: readonly number[]) =>
  withBot(async (stage, messagesUrl, cpuMs) => {
    const url = messagesUrl.replace(/messages$/, 'alerts');
    async function send(incident: string, count: number): Promise<void> {
      for (let sent = 0; sent < count; sent++) {
        const alert = { labels: { mac: '00:1B:54:00:00:01' }, startsAt: new Date().toISOString() };
        const alerts = [{ status: 'firing', annotations: { summary: `Flap ${Math.random()}` }, ...alert }];
        await stage.post(url, { version: '4', status: 'firing', groupKey: incident, alerts });
      }
    }
    await send('warm-up', WINDOW);
    const costs: number[] = [];
    let sent = 0;
    for (const size of sizes) {
      await send('incident', size - sent - WINDOW);
      const before = await cpuMs();
      await send('incident', WINDOW);
      sent = size;
      await new Promise((resolve) => setTimeout(resolve, TOLD_MS));
      costs.push(((await cpuMs()) - before) / WINDOW);
    }
    return costs;
  });
