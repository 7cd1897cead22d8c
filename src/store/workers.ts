import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type JobOutcome, MAX_DEATHS, settle, type Worker, type WorkerOutcome } from '../domain/jobs.ts';
import { parseJson } from '../domain/text.ts';
import { backoffMs, settlesWithin, type Timing } from '../domain/timing.ts';
import type { Queryable } from './dialect.ts';
import { StoreClosedError } from './faults.ts';
import { Leases, type TakenJob } from './leases.ts';

export type Workers = {
  /** Looks for work; called each second, and when this process puts a job. */
  wake(): void;
  /** Begins nothing more, and lets what is under way end for at most this long. The rest goes back; no try is spent. */
  stop(withinMs: number): Promise<void>;
};

type Content<Data> = ReturnType<typeof createContent<Data>>;

export type WorkersOptions<Data> = {
  name: string;
  content: Content<Data>;
  worker: Worker<Data>;
  timing: Pick<Timing, 'leaseMs' | 'faults'>;
  /** How many jobs are under way at once; default: 80. */
  places?: number | undefined;
  onError(error: unknown): void;
};

/** How many jobs one statement takes. */
const BATCH = 20;
const SETTLE_AGAIN_MS = 1000;

/** A job that this process works on. `isAdopted`: it was this process's before a worker could take it. */
type InFlight = { job: TakenJob; isAdopted: boolean; end: Promise<void> };

/** Takes the jobs of one queue as they fall due. The settlement of a job is repeated until the database takes it. */
export class QueueWorkers<Data> implements Workers {
  readonly #options: WorkersOptions<Data>;
  readonly #leases: Leases;
  readonly #inFlight = new Map<number, InFlight>();
  readonly #stopping = new AbortController();
  readonly #renewing: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #mayBeMore = false;
  /** Leases of calls that failed. A slow database may have granted them all the same: no process died of those. */
  readonly #unsure: string[] = [];

  constructor(store: Queryable, options: WorkersOptions<Data>) {
    const { name, timing } = options;
    this.#options = options;
    this.#leases = new Leases(store, name, timing.leaseMs);
    this.#renewing = setInterval(() => this.#renew(), timing.leaseMs / 3);
    this.wake();
  }

  wake(): void {
    this.#mayBeMore = true;
    this.#looking ??= this.#look()
      .catch(this.#options.onError)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** Sees to a job that this process has put and taken, until its outcome is settled. */
  adopt(job: TakenJob, ongoing: Promise<JobOutcome<Data>>): void {
    this.#begin(job, ongoing);
  }

  async stop(withinMs: number): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await settlesWithin(Promise.all([...this.#inFlight.values()].map(({ end }) => end)), withinMs);
    clearInterval(this.#renewing);
    // What is done for an adopted job goes on until the process ends; then its lease runs out.
    const taken = this.#taken();
    if (taken.length > 0) await this.#leases.giveBack(leasesOf(taken));
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopping;
    const { places = 80 } = this.#options;
    while (this.#mayBeMore && this.#taken().length < places && !signal.aborted) {
      const limit = Math.min(BATCH, places - this.#taken().length);
      const lease = randomUUID();
      this.#mayBeMore = false;
      const jobs = await this.#leases.take(lease, limit).catch((error: unknown) => {
        this.#unsure.push(lease);
        throw error;
      });
      if (jobs.length === limit) this.#mayBeMore = true;
      if (signal.aborted) return await this.#leases.giveBack([lease]);
      for (const job of jobs) this.#begin(job);
    }
  }

  /** @param ongoing what this process is doing for the job already */
  #begin(job: TakenJob, ongoing?: Promise<JobOutcome<Data>>): void {
    const here = this.#inFlight.get(job.seq);
    if (here !== undefined) {
      here.job.lease = job.lease; // The renewal came late: the work goes on under the new lease.
      return;
    }
    const end = workOn(job, ongoing, this.#leases, this.#options, this.#stopping.signal).finally(() => {
      this.#inFlight.delete(job.seq);
      if (this.#mayBeMore) this.wake();
    });
    this.#inFlight.set(job.seq, { job, isAdopted: ongoing !== undefined, end });
  }

  #taken(): InFlight[] {
    return [...this.#inFlight.values()].filter(({ isAdopted }) => !isAdopted);
  }

  #renew(): void {
    const { onError } = this.#options;
    if (this.#inFlight.size > 0) this.#leases.renew(leasesOf(this.#inFlight.values())).catch(onError);
    if (this.#unsure.length > 0) this.#leases.giveBack(this.#unsure.splice(0)).catch(onError);
  }
}

const leasesOf = (jobs: Iterable<InFlight>) => [...new Set([...jobs].map(({ job }) => job.lease))];

/** Works on a job, and settles it as often as it takes the database to take that. Never rejects. */
async function workOn<Data>(
  taken: TakenJob,
  ongoing: Promise<JobOutcome<Data>> | undefined,
  leases: Leases,
  options: WorkersOptions<Data>,
  signal: AbortSignal,
): Promise<void> {
  const job = options.content.read(taken.data);
  const settlement = settle(taken, await outcomeOf(taken, job, ongoing, options));
  while (true) {
    try {
      if (settlement.kind === 'dead')
        // A crash behind this tells the dead letter twice rather than never.
        await options.worker.onDead({ key: job.key, data: job.data, reason: settlement.reason });
      return await leases.settle(taken, settlement);
    } catch (error) {
      options.onError(error);
      if (signal.aborted) return;
      await pause(SETTLE_AGAIN_MS, signal);
    }
  }
}

/** Works on a job, if that may be. The data of the next try come as the text of the job's row. */
async function outcomeOf<Data>(
  { deaths, faults, at, ageMs }: TakenJob,
  job: ReturnType<Content<Data>['read']>,
  ongoing: Promise<JobOutcome<Data>> | undefined,
  { content, worker, timing, onError }: WorkersOptions<Data>,
): Promise<WorkerOutcome<string>> {
  if (job.row !== 'readable') return { kind: job.row };
  if (deaths >= MAX_DEATHS) return { kind: 'deadly' };
  try {
    const { key, data, added } = job;
    const outcome = await (ongoing ?? worker.work({ data, key, added, at, ageMs }));
    if (outcome.kind === 'again') return { ...outcome, data: content.write(key, outcome.data) };
    if (outcome.kind === 'dead' || outcome.data === undefined) return outcome as WorkerOutcome<string>;
    return { ...outcome, data: content.write(key, outcome.data) };
  } catch (error) {
    onError(error);
    if (error instanceof StoreClosedError) return { kind: 'away' };
    return { kind: 'fault', pauseMs: backoffMs(faults, timing.faults, Math.random()) };
  }
}

/** Raised by a release whose jobs an older one cannot read. */
const VERSION = 2;
const rowSchema = z.object({
  version: z.int().catch(0),
  key: z.string().optional().catch(undefined),
  data: z.unknown(),
});

const addedSchema = z.object({ at: z.number(), data: z.unknown() });

/**
 * A row's text: a line of JSON, then a line for each thing that was added since. What can be read of a row that cannot be read
 * whole is its `key` and `data`.
 */
export function createContent<Data>(schema: z.ZodType<Data>) {
  return {
    write: (key: string, data: Data) => JSON.stringify({ version: VERSION, key, data }),
    read(text: string) {
      const [first = '', ...lines] = text.split('\n');
      const { version = 0, key, data } = rowSchema.safeParse(parseJson(first)).data ?? {};
      const added = lines.flatMap((line) => addedSchema.safeParse(parseJson(line)).data ?? []);
      const job = schema.safeParse(version === 1 ? withArrival(data) : data);
      if (version > VERSION) return { row: 'newer', key, data } as const;
      if (version < 1 || key === undefined || !job.success) return { row: 'damaged', key, data } as const;
      return { row: 'readable', key, data: job.data, added } as const;
    },
  };
}

/** Release 0.2.0 (version 1) called a question's arrival `firstAt`. */
const withArrival = (data: unknown) => ({ arrivedAt: Object(data).firstAt, ...Object(data) });

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {}); // Nothing but the signal rejects it.
}

/** Runs a task now, and again each time after a pause, until the signal. Resolves when the last run has ended. */
export async function repeat(
  everyMs: number,
  task: () => Promise<void>,
  { onError, signal }: { onError(error: unknown): void; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await task().catch((error: unknown) => {
      if (!signal.aborted) onError(error);
    });
    await pause(everyMs, signal);
  }
}
