import type { Holding, TakenJob } from '../../src/store/workers.ts';

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
  #arrivals = 0;

  constructor(now: number) {
    this.now = now;
  }

  put(key: string, data: number, afterMs: number): 'put' | 'known' {
    if (this.jobs.has(key)) return 'known';
    this.#arrivals += 1;
    const due = this.now + afterMs;
    this.jobs.set(key, {
      key,
      seq: this.#arrivals,
      data,
      state: 'open',
      due,
      lease: null,
      leaseUntil: 0,
      deaths: 0,
    });
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
    return [...this.jobs.values()]
      .filter(
        ({ state, due, lease, leaseUntil }) =>
          state === 'open' && due <= this.now && (lease === null || leaseUntil <= this.now),
      )
      .sort((one, other) => one.due - other.due || one.seq - other.seq);
  }

  take(key: string, lease: string): void {
    const job = this.jobs.get(key);
    if (job === undefined) throw new Error(`${key} was never put`);
    if (job.lease !== null) job.deaths += 1;
    Object.assign(job, { lease, leaseUntil: this.now + LEASE_MS });
  }

  renew(leases: readonly string[]): void {
    for (const job of this.jobs.values())
      if (job.lease !== null && leases.includes(job.lease)) job.leaseUntil = this.now + LEASE_MS;
  }

  giveBack(leases: readonly string[]): void {
    for (const job of this.jobs.values())
      if (job.lease !== null && leases.includes(job.lease)) job.lease = null;
  }

  /** @param taken who settles; undefined: whoever did the work without a worker */
  settle(key: string, taken: Holding | undefined, change: Partial<Job>): void {
    const job = this.jobs.get(key);
    if (job?.state !== 'open' || (taken && job.lease !== taken.lease)) return;
    const { due } = job;
    const wasWoken = taken !== undefined && due !== taken.due && change.state !== 'dead';
    Object.assign(job, change, { lease: null }, wasWoken && { state: 'open', due });
    if (change.state === 'done' && taken) job.deaths = 0;
  }

  /** Changes a job that nobody has taken. */
  change(key: string, change: Partial<Job>): void {
    const job = this.jobs.get(key);
    if (job?.state === 'open' && job.lease === null) Object.assign(job, change);
  }
}

/** A job that somebody took, perhaps long ago. */
export type Taken = Holding & { key: string };

/** Which key a row's text holds. */
export function keyOf({ data }: Pick<TakenJob, 'data'>): string {
  return JSON.parse(data).key;
}
