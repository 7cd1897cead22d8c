import type { TakenJob } from '../../src/store/workers.ts';

export const LEASE_MS = 12_000;

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
export class JobsModel {
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

/** A generator of numbers that a seed repeats (mulberry32). */
export function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const upTo = (count: number) => Math.floor(next() * count);
  return {
    /** A whole number from 0, below `count`. */
    upTo,
    pick<T>(all: readonly T[]): T | undefined {
      return all[upTo(all.length)];
    },
  };
}
