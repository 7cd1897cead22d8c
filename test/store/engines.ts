import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import type { z } from 'zod';
import { systemClock } from '../../src/app/start.ts';
import type { DeadJob, Queue, Work } from '../../src/domain/jobs.ts';
import { Secret } from '../../src/domain/secret.ts';
import { type Clock, TIMING } from '../../src/domain/timing.ts';
import type { DatabaseSettings } from '../../src/store/dialect.ts';
import { lastingFaultOf, StoreClosedError } from '../../src/store/faults.ts';
import { JobQueue } from '../../src/store/queue.ts';
import { fileIn } from '../../src/store/sqlite.ts';
import { type BackgroundWork, Store } from '../../src/store/store.ts';
import { QueueWorkers } from '../../src/store/workers.ts';
import { newDatabase } from './postgres.ts';

/** The two databases, and how a test gets a new, empty one. Everything above the store is the same for both. */
export const ENGINES: ReadonlyArray<readonly [name: string, create: () => Promise<DatabaseSettings>]> = [
  ['the embedded database', async () => ({ directory: await newFolder() })],
  ['a Postgres server', async () => ({ url: new Secret(await newDatabase()) })],
];

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes over the second page of the embedded database, as a broken disk does. */
export async function damage(folder: string): Promise<void> {
  const file = await open(fileIn(folder), 'r+');
  await file.write(Buffer.alloc(4096, 'x'), 0, 4096, 4096);
  await file.close();
}

export type TestStore = Awaited<ReturnType<typeof openStore>>;

/** A store on a database, not open yet, with its errors and reported outages, until the test ends. */
export async function openStore(
  database: DatabaseSettings,
  { start = () => [], clock = systemClock }: { start?: () => BackgroundWork[]; clock?: Clock } = {},
) {
  const errors: unknown[] = [];
  const outages: string[] = [];
  let state = 'opening';
  const store = new Store({
    database,
    onError: (error) => error instanceof StoreClosedError || errors.push(error),
    onState(next, reason) {
      if (reason === undefined) outages.push(next);
      else if (state === 'ok' || state === 'opening') outages.push(`lost: ${reason}`);
      state = next;
    },
    commits: { observe() {} },
    clock,
  });
  if ('directory' in database) await store.tryToOpen();
  let closed: Promise<void> | undefined;
  const close = (withinMs: number) => (closed ??= store.close(withinMs));
  onTestFinished(() => close(1000));
  const openAtLast = () => void store.open(start).then((each) => outages.push(String(lastingFaultOf(each))));
  const endJobs = (withinMs: number) => store.endJobs(withinMs);
  return { query: store.query, state: () => state, endJobs, open: openAtLast, close, errors, outages };
}

export async function opened(store: TestStore): Promise<TestStore> {
  store.open();
  await vi.waitFor(() => expect(store.state()).toBe('ok'), { timeout: 20_000, interval: 20 });
  return store;
}

/** One process: an open store with a queue, whose worker fails again soon after a bug. Without `work`, nobody works. */
export async function openQueue<Data extends object>(
  database: DatabaseSettings,
  {
    schema,
    work,
    onDead,
    places,
  }: { schema: z.ZodType<Data>; work?: Work<Data>; onDead?(job: DeadJob): void; places?: number },
): Promise<{ store: TestStore; queue: Queue<Data> }> {
  const report = async (job: DeadJob) => onDead?.(job);
  const timing = { ...TIMING, faults: { firstMs: 100, maxMs: 500 } };
  const onError = (error: unknown) => error instanceof StoreClosedError || store.errors.push(error);
  const store = await openStore(database, {
    start: () => (work ? [new QueueWorkers(queue, { work, onDead: report, timing, places, onError })] : []),
  });
  const queue: JobQueue<Data> = new JobQueue(store, { name: 'lookup', schema, leaseMs: timing.leaseMs });
  await opened(store);
  return { store, queue };
}
