import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { DatabaseSettings } from '../../src/store/dialect.ts';
import { JobQueue, type TakenJob } from '../../src/store/queue.ts';
import { ENGINES, opened, openStore } from './engines.ts';

const LEASE_MS = 12_000;
const STEPS = 4000;
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const KEYS = Array.from({ length: 400 }, (_, index) => `key ${index}`);
const START = 1_000_000;

type Data = { n: number };
type Job = Data & {
  key: string;
  /** What was added and no worker has settled yet. */
  added: Array<{ at: number; data: object }>;
  state: 'open' | 'done' | 'dead';
  due: number;
  at: number;
  lease: string | null;
  until: number;
  deaths: number;
};

/** What the jobs of one queue ought to do: the whole rule, in memory, at one time after another. */
function createModel() {
  const jobs = new Map<string, Job>();
  const model = {
    now: START,
    jobs,
    put(key: string, n: number, afterMs: number): 'put' | 'known' {
      if (jobs.has(key)) return 'known';
      const times = { due: model.now + afterMs, at: model.now, until: 0 };
      jobs.set(key, { key, n, added: [], state: 'open', ...times, lease: null, deaths: 0 });
      return 'put';
    },
    wake(key: string, n: number, data: object): void {
      model.put(key, n, 0);
      const job = jobs.get(key) as Job;
      job.added.push({ at: model.now, data });
      if (job.state !== 'open') job.at = model.now;
      Object.assign(job, { state: 'open', due: model.now });
    },
    inOrder: (keys: readonly string[]) => [...jobs.keys()].filter((key) => keys.includes(key)),
    due: () =>
      [...jobs.values()]
        .filter(({ state, due, lease, until }) => {
          const isFree = !lease || until <= model.now;
          return state === 'open' && due <= model.now && isFree;
        })
        .sort((one, other) => one.due - other.due)
        .map(({ key }) => key),
    take(key: string, lease: string): number {
      const job = jobs.get(key) as Job;
      if (job.lease !== null) job.deaths += 1;
      Object.assign(job, { lease, until: model.now + LEASE_MS });
      return job.deaths;
    },
    change(leases: readonly string[], changes: Partial<Job>): void {
      for (const job of jobs.values()) if (leases.includes(job.lease ?? '')) Object.assign(job, changes);
    },
    finish(taken: TakenJob<Data>, changes: Partial<Job>): void {
      const job = jobs.get(String(taken.key));
      if (job?.state !== 'open' || job.lease !== taken.lease) return;
      const isWoken = job.added.length > taken.added.length;
      const added = changes.state === 'dead' ? job.added : job.added.slice(taken.added.length);
      const at = changes.state ? model.now : job.at;
      const woken = isWoken && { state: 'open', due: job.due };
      Object.assign(job, changes, { at, lease: null, deaths: 0, added }, woken);
    },
  };
  return model;
}

/** Numbers that a seed repeats (the Lehmer generator of C++'s minstd_rand). `upTo`: from 0, below `count`. */
function createRandom(seed: number) {
  let state = seed + 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  const upTo = (count: number) => Math.floor((next() / 2_147_483_647) * count);
  return { upTo, pick: <T>(all: readonly T[]): T => all[upTo(all.length)] as T };
}

/** Opens stores on one database with the model's clock: in the process, or on the server, which takes several. */
async function openWithClock(database: DatabaseSettings, model: { now: number }) {
  const first = await opened(
    await openStore(database, { clock: { now: () => model.now, steady: () => model.now } }),
  );
  if (!('url' in database)) return { stores: [first], setClock: async () => {} } as const;
  await first.query(`create table public.test_clock as select cast(${START} as bigint) as ms`);
  await first.query(
    `create or replace function now_ms() returns bigint language sql stable
     as $$ select ms from public.test_clock $$`,
  );
  const others = await Promise.all([1, 2].map(async () => opened(await openStore(database))));
  const setClock = async () => void (await first.query('update public.test_clock set ms = $1', [model.now]));
  return { stores: [first, ...others], setClock } as const;
}

describe.each(ENGINES)('the jobs in %s', { timeout: 120_000 }, (_name, create) => {
  it(`do what the model says (SEED=${SEED})`, async () => {
    const { upTo, pick } = createRandom(SEED);
    const model = createModel();
    const { stores, setClock } = await openWithClock(await create(), model);
    const [store] = stores;
    const schema = z.object({ n: z.number() });
    const workers = stores.map((each) => new JobQueue(each, { name: 'lookup', schema, leaseMs: LEASE_MS }));
    const [queue] = workers as [JobQueue<Data>];
    let taken: Array<TakenJob<Data>> = [];

    /** Several workers take jobs at once: they get jobs that are due, in the order of arrival, and each job once. */
    async function take(takers: ReadonlyArray<JobQueue<Data>>): Promise<void> {
      const limit = 1 + upTo(6);
      const due = model.due();
      const got = await Promise.all(takers.map((each) => each.take(randomUUID(), limit)));
      const keys = got.map((jobs) => jobs.map(({ key }) => String(key)));
      if (takers.length === 1) expect(keys).toEqual([model.inOrder(due.slice(0, limit))]);
      expect(new Set(keys.flat()).size).toBe(keys.flat().length);
      for (const each of keys) expect(each).toEqual(model.inOrder(due.filter((key) => each.includes(key))));
      for (const job of got.flat()) {
        const key = String(job.key);
        expect(job.deaths).toBe(model.take(key, job.lease));
        expect(job.ageMs).toBe(model.now - (model.jobs.get(key)?.at ?? 0));
        taken.push(job);
      }
    }

    async function finish(): Promise<void> {
      if (taken.length === 0) return;
      const held = pick(taken);
      const [n, afterMs] = [upTo(1000), upTo(20_000)];
      const [end, changes] = pick([
        [{ kind: 'done' }, { state: 'done' }],
        [
          { kind: 'again', data: { n }, afterMs, faults: 0 },
          { n, due: model.now + afterMs },
        ],
        [{ kind: 'dead', reason: '' }, { state: 'dead' }],
      ] as const);
      await pick(workers).finish(held, end);
      model.finish(held, changes);
    }

    /** What may happen to a job by its key, as often as it stands here. */
    const changes: Array<(key: string, n: number, afterMs: number) => Promise<void>> = [
      ...Array(5).fill(async (key: string, n: number, afterMs: number) =>
        expect(await queue.put(key, { n }, afterMs)).toBe(model.put(key, n, afterMs)),
      ),
      ...Array(5).fill(async (key: string, n: number) => {
        expect(await queue.wake(key, { n: 0 }, { n })).toBe('woken');
        model.wake(key, 0, { n });
      }),
      async (key, n) => {
        const job = model.jobs.get(key);
        if (job?.added.length) return; // Only posts and lookups are changed, to which nothing is added.
        await queue.change(key, { n });
        if (job?.state === 'open' && job.lease === null) job.n = n;
      },
      async (key) => {
        const job = model.jobs.get(key);
        expect(await queue.find(key)).toBe(job?.state);
        await queue.settle(key);
        if (job && job.state !== 'done') Object.assign(job, { state: 'done', at: model.now, lease: null });
      },
      async (key) => {
        const job = model.jobs.get(key);
        const isRevived = job?.state === 'dead' || (job?.state === 'open' && job.lease === null);
        expect(await queue.revive(key)).toBe(isRevived);
        const revived = { state: 'open', due: model.now, at: model.now, deaths: 0 };
        if (job && isRevived) Object.assign(job, revived);
      },
    ];
    const steps: Array<() => unknown> = [
      ...Array(3).fill(() => take([pick(workers)])),
      () => take(workers),
      ...Array(2).fill(finish),
      ...Array(6).fill(() => pick(changes)(pick(KEYS), upTo(1000), upTo(3) * 5000)),
      ...Array(2).fill(async () => {
        model.now += pick([upTo(3000), upTo(3000), upTo(30_000), -upTo(60_000)]);
        await setClock();
      }),
      async () => {
        const leases = taken.filter(() => upTo(2) === 0).map(({ lease }) => lease);
        const isRenewed = upTo(5) > 0;
        await pick(workers)[isRenewed ? 'renew' : 'giveBack'](leases);
        model.change(leases, isRenewed ? { until: model.now + LEASE_MS } : { lease: null });
      },
      () => {
        taken = taken.filter(() => upTo(10) > 0); // Some workers die.
      },
    ];

    const readLines = (text: unknown) => {
      const [first, ...added] = String(text)
        .split('\n')
        .map((line) => JSON.parse(line));
      return { ...first, added };
    };
    async function expectEqual(): Promise<void> {
      const rows = await store.query<Record<string, string | number>>(
        'select data, state, due, at, lease, deaths from job order by seq',
      );
      const expected = [...model.jobs.values()].map(({ n, until, ...job }) => {
        return { ...job, version: 2, data: { n } };
      });
      expect(rows.map(({ data, ...row }) => ({ ...readLines(data), ...row }))).toEqual(expected);
    }

    for (let count = 0; count < STEPS; count++) {
      await pick(steps)();
      if (count % 100 === 0) await expectEqual();
    }
    await expectEqual();
    expect(model.jobs.size).toBeGreaterThan(100);
    expect(stores.flatMap(({ errors }) => errors)).toEqual([]);
  });
});
