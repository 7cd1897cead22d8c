import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createQueue } from '../../src/store/queues.ts';
import type { DatabaseSettings } from '../../src/store/store.ts';
import { createLeases, type Leases, type TakenJob } from '../../src/store/workers.ts';
import { ENGINES, opened, openStore } from './engines.ts';

const LEASE_MS = 12_000;
const STEPS = 4000;
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const KEYS = Array.from({ length: 400 }, (_, index) => `key ${index}`);
const START = 1_000_000;

type Job = {
  key: string;
  seq: number;
  data: number;
  state: 'open' | 'done' | 'dead';
  due: number;
  lease: string | null;
  leaseUntil: number;
  deaths: number;
};

/** What the jobs of one queue ought to do: the whole rule, in memory, at one time after another. */
class JobsModel {
  readonly jobs = new Map<string, Job>();
  now: number;

  constructor(now: number) {
    this.now = now;
  }

  put(key: string, data: number, afterMs: number): 'put' | 'known' {
    if (this.jobs.has(key)) return 'known';
    const free = { state: 'open', lease: null, leaseUntil: 0, deaths: 0 } as const;
    this.jobs.set(key, { key, seq: this.jobs.size + 1, data, due: this.now + afterMs, ...free });
    return 'put';
  }

  wake(key: string, data: number, afterMs: number): void {
    const job = this.jobs.get(key);
    if (job === undefined) {
      this.put(key, data, afterMs);
      return;
    }
    const due = this.now + afterMs;
    if (job.state !== 'open') Object.assign(job, { state: 'open', data, due });
    else if (job.lease !== null) job.due = job.due >= due ? job.due + 1 : due;
    else job.due = Math.min(job.due, due);
  }

  /** The jobs that a worker may take now, in the order in which it gets them. */
  due(): Job[] {
    const isFree = ({ lease, leaseUntil }: Job) => lease === null || leaseUntil <= this.now;
    return [...this.jobs.values()]
      .filter((job) => job.state === 'open' && job.due <= this.now && isFree(job))
      .sort((one, other) => one.due - other.due || one.seq - other.seq);
  }

  take(key: string, lease: string): Job {
    const job = this.jobs.get(key);
    if (job === undefined) throw new Error(`${key} was never put`);
    if (job.lease !== null) job.deaths += 1;
    return Object.assign(job, { lease, leaseUntil: this.now + LEASE_MS });
  }

  renew(leases: readonly string[]): void {
    for (const job of this.#held(leases)) job.leaseUntil = this.now + LEASE_MS;
  }

  giveBack(leases: readonly string[]): void {
    for (const job of this.#held(leases)) job.lease = null;
  }

  #held(leases: readonly string[]): Job[] {
    return [...this.jobs.values()].filter(({ lease }) => lease !== null && leases.includes(lease));
  }

  /** @param taken who settles; undefined: whoever did the work without a worker */
  settle(key: string, taken: Pick<TakenJob, 'due' | 'lease'> | undefined, change: Partial<Job>): void {
    const job = this.jobs.get(key);
    if (job?.state !== 'open' || (taken && job.lease !== taken.lease)) return;
    const { due } = job;
    const wasWoken = taken !== undefined && due !== taken.due && change.state !== 'dead';
    Object.assign(job, change, { lease: null }, wasWoken && { state: 'open', due });
    if (taken) job.deaths = 0;
  }

  /** Changes a job that nobody has taken. */
  change(key: string, change: Partial<Job>): void {
    const job = this.jobs.get(key);
    if (job?.state === 'open' && job.lease === null) Object.assign(job, change);
  }
}

/** Numbers that a seed repeats (the Lehmer generator of C++'s minstd_rand). `upTo`: from 0, below `count`. */
function createRandom(seed: number) {
  let state = seed + 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  const upTo = (count: number) => Math.floor((next() / 2_147_483_647) * count);
  return { upTo, pick: <T>(all: readonly T[]): T | undefined => all[upTo(all.length)] };
}

/** Opens stores on one database whose clock follows the model: in the process, or on the server, which takes several. */
async function openWithClock(database: DatabaseSettings, model: JobsModel) {
  const first = await opened(await openStore(database, { clock: () => model.now }));
  if (!('url' in database)) return { store: first, stores: [first], setClock: async () => {} };
  await first.query('create table public.test_clock (ms bigint)');
  await first.query(`insert into public.test_clock values (${START})`);
  await first.query(
    `create or replace function nac_lookup_bot.now_ms() returns bigint language sql stable
     as $$ select ms from public.test_clock $$`,
  );
  const others = await Promise.all([1, 2].map(async () => opened(await openStore(database))));
  const setClock = async () => void (await first.query('update public.test_clock set ms = $1', [model.now]));
  return { store: first, stores: [first, ...others], setClock };
}

/** A job that somebody took, perhaps long ago. */
type Taken = Pick<TakenJob, 'seq' | 'due' | 'lease'> & { key: string };

/** The key in a row's text. */
const keyOf = ({ data }: TakenJob): string => JSON.parse(data).key;

describe.each(ENGINES)('the jobs in %s', { timeout: 120_000 }, (_name, create) => {
  it(`do what the model says: nothing is lost, nothing is worked on twice while its lease holds (SEED=${SEED})`, async () => {
    const random = createRandom(SEED);
    const model = new JobsModel(START);
    const { store, stores, setClock } = await openWithClock(await create(), model);
    const queue = createQueue(store, { name: 'post', schema: z.object({ n: z.number() }), onError() {} });
    const workers = stores.map((each) => createLeases(each, 'post', LEASE_MS));
    /** What each worker believes to hold; a worker that slept or died believes wrongly, or knows nothing. */
    let taken: Taken[] = [];

    /** Several workers take jobs at once: what they get is due, in order, and nobody gets what another has. */
    async function takeTogether(takers: readonly Leases[]): Promise<void> {
      const limit = 1 + random.upTo(6);
      const due = model.due().map(({ key }) => key);
      const takes = takers.map((each) => ({ lease: randomUUID(), each }));
      const got = await Promise.all(takes.map(({ lease, each }) => each.take(lease, limit)));
      const keys = got.map((jobs) => jobs.map(keyOf));
      if (takers.length === 1) expect(keys).toEqual([due.slice(0, limit)]);
      expect(new Set(keys.flat()).size).toBe(keys.flat().length);
      for (const each of keys) expect(each).toEqual(due.filter((key) => each.includes(key)));
      for (const [index, jobs] of got.entries())
        for (const job of jobs) {
          const [key, { lease } = { lease: '' }] = [keyOf(job), takes[index]];
          expect(job.deaths).toBe(model.take(key, lease).deaths);
          taken.push({ seq: job.seq, lease, due: job.due, key });
        }
    }

    async function settleOne(how: number): Promise<void> {
      const held = random.pick(taken);
      const worker = random.pick(workers);
      if (held === undefined || worker === undefined) return;
      const { key } = held;
      const [n, afterMs] = [random.upTo(1000), random.upTo(20_000)];
      const again = { data: JSON.stringify({ version: 1, key, data: { n } }), afterMs, faults: 0 };
      if (how === 0) await worker.settle(held, { kind: 'done' });
      else if (how === 1) await worker.settle(held, { kind: 'again', ...again });
      else await worker.settle(held, { kind: 'dead', reason: 'gave up' });
      const changes = [{ state: 'done' }, { data: n, due: model.now + afterMs }, { state: 'dead' }] as const;
      model.settle(key, held, changes[how] ?? {});
    }

    async function changeOne(how: number): Promise<void> {
      const key = random.pick(KEYS) ?? '';
      const n = random.upTo(1000);
      if (how === 0) {
        await queue.change(key, { n });
        model.change(key, { data: n });
      } else if (how === 1) {
        await queue.defer([key], n * 10);
        model.change(key, { due: model.now + n * 10 });
      } else {
        await queue.settle(key);
        model.settle(key, undefined, { state: 'done' });
      }
    }

    async function putOne(): Promise<void> {
      const [key, n, afterMs] = [random.pick(KEYS) ?? '', random.upTo(1000), random.upTo(3) * 5000];
      if (random.upTo(2) === 0) {
        await queue.wake(key, { n }, afterMs);
        model.wake(key, n, afterMs);
      } else expect(await queue.put(key, { n }, afterMs)).toBe(model.put(key, n, afterMs));
    }

    /** Mostly a little time passes; sometimes longer than a lease; sometimes the clock is set back. */
    async function moveClock(): Promise<void> {
      const ms = [random.upTo(3000), random.upTo(3000), random.upTo(30_000), -random.upTo(60_000)];
      model.now += random.pick(ms) ?? 0;
      await setClock();
    }

    /** What may happen, as often as it stands here. */
    const steps: Array<() => unknown> = [
      ...Array(3).fill(() => takeTogether([workers[random.upTo(workers.length)] as Leases])),
      () => takeTogether(workers),
      ...Array(2).fill(() => settleOne(random.upTo(3))),
      () => changeOne(random.upTo(3)),
      ...Array(2).fill(moveClock),
      ...Array(5).fill(putOne),
      async () => {
        const how = random.upTo(5) > 0 ? 'renew' : 'giveBack';
        const leases = someLeases();
        await random.pick(workers)?.[how](leases);
        model[how](leases);
      },
      () => {
        taken = taken.filter(() => random.upTo(10) > 0); // Some workers die.
      },
    ];
    const someLeases = () => taken.filter(() => random.upTo(2) === 0).map(({ lease }) => lease);

    async function expectEqual(): Promise<void> {
      const rows = await store.query<Record<string, string | number>>(
        `select data, state, due, lease, deaths from ${store.dialect.job} order by seq`,
      );
      const expected = [...model.jobs.values()].map(({ seq, leaseUntil, data: n, ...job }) => {
        return { ...job, version: 1, data: { n } };
      });
      expect(rows.map(({ data, ...row }) => ({ ...JSON.parse(String(data)), ...row }))).toEqual(expected);
    }

    for (let count = 0; count < STEPS; count++) {
      await random.pick(steps)?.();
      if (count % 100 === 0) await expectEqual();
    }
    await expectEqual();
    expect(model.jobs.size).toBeGreaterThan(100);
    expect(stores.flatMap(({ errors }) => errors)).toEqual([]);
  });
});
