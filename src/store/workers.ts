import { randomUUID } from 'node:crypto';
import type { DeadJob, JobOutcome, Work } from '../domain/jobs.ts';
import { backoffMs, settlesWithin, type Timing } from '../domain/timing.ts';
import { StoreClosedError } from './faults.ts';
import type { JobEnd, JobQueue, QueueName, TakenJob } from './queue.ts';
import { type BackgroundWork, pause } from './store.ts';

type WorkersOptions<Data> = {
  work: Work<Data>;
  /** Reports a job that was given up. */
  onDead(job: DeadJob): Promise<void>;
  timing: Pick<Timing, 'leaseMs' | 'faults'>;
  /** How many jobs are under way at once; default: 80. */
  places?: number | undefined;
  onError(error: unknown): void;
};

/** A job that was under way when so many processes died likely killed them. */
const MAX_DEATHS = 20;
const MAX_FAULTS = 5;
/** The pause after a call that the database did not take. */
const AWAY_MS = 1000;
/** How long a newer release may take its job, which this one cannot read. */
const NEWER_FOR_MS = 24 * 3_600_000;

/** A job that this process works on. `isAdopted`: it was this process's before a worker could take it. */
type InFlight<Data> = { job: TakenJob<Data>; isAdopted: boolean; end: Promise<void> };

/** Takes the jobs of one queue as they fall due. The settlement of a job is repeated until the database takes it. */
export class QueueWorkers<Data extends object | null> implements BackgroundWork {
  readonly queueName: QueueName;
  readonly #queue: JobQueue<Data>;
  readonly #options: WorkersOptions<Data>;
  readonly #inFlight = new Map<number, InFlight<Data>>();
  readonly #stopping = new AbortController();
  readonly #renewing: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #mayBeMore = false;
  /** Leases of calls that failed. A slow database may have granted them all the same: no process died of those. */
  readonly #unsure: string[] = [];

  constructor(queue: JobQueue<Data>, options: WorkersOptions<Data>) {
    this.#queue = queue;
    this.queueName = queue.name;
    this.#options = options;
    const { timing, onError } = options;
    this.#renewing = setInterval(() => {
      if (this.#inFlight.size > 0) queue.renew(leasesOf(this.#inFlight.values())).catch(onError);
      if (this.#unsure.length > 0) queue.giveBack(this.#unsure.splice(0)).catch(onError);
    }, timing.leaseMs / 3);
    queue.workers = this;
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

  async stop(withinMs: number): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await settlesWithin(Promise.all([...this.#inFlight.values()].map(({ end }) => end)), withinMs);
    clearInterval(this.#renewing);
    // Work on an adopted job goes on until the process ends; then its lease runs out.
    const taken = this.#taken();
    if (taken.length > 0) await this.#queue.giveBack(leasesOf(taken));
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopping;
    const { places = 80 } = this.#options;
    while (this.#mayBeMore && this.#taken().length < places && !signal.aborted) {
      const limit = places - this.#taken().length;
      const lease = randomUUID();
      this.#mayBeMore = false;
      const taken = await this.#queue.take(lease, limit).catch((error: unknown) => {
        this.#unsure.push(lease);
        throw error;
      });
      if (taken.length === limit) this.#mayBeMore = true;
      if (signal.aborted) return await this.#queue.giveBack([lease]);
      for (const job of taken) this.begin(job);
    }
  }

  begin(job: TakenJob<Data>, ongoing?: Promise<JobOutcome<Data>>): void {
    const here = this.#inFlight.get(job.seq);
    if (here !== undefined) {
      here.job.lease = job.lease; // The renewal came late: the work goes on under the new lease.
      return;
    }
    const end = this.#workOn(job, ongoing).finally(() => {
      this.#inFlight.delete(job.seq);
      if (this.#mayBeMore) this.wake();
    });
    this.#inFlight.set(job.seq, { job, isAdopted: ongoing !== undefined, end });
  }

  /** Works on a job, and settles it as often as it takes the database to take that. Never rejects. */
  async #workOn(job: TakenJob<Data>, ongoing?: Promise<JobOutcome<Data>>): Promise<void> {
    const { signal } = this.#stopping;
    const { key, data, raw } = job;
    const end = await this.#try(job, ongoing);
    while (true) {
      try {
        if (end.kind === 'dead')
          // A crash after this reports the dead letter twice rather than never.
          await this.#options.onDead({ key, data: data ?? raw, reason: end.reason });
        return await this.#queue.finish(job, end);
      } catch (error) {
        this.#options.onError(error);
        if (signal.aborted) return;
        await pause(AWAY_MS, signal);
      }
    }
  }

  async #try(job: TakenJob<Data>, ongoing?: Promise<JobOutcome<Data>>): Promise<JobEnd<Data>> {
    const { key = '', data, isNewer, added, deaths, faults, now, ageMs } = job;
    if (isNewer && ageMs < NEWER_FOR_MS) return { kind: 'again', afterMs: 60_000, faults };
    if (data === undefined) return dead('its row is damaged, or another release of the bot wrote it');
    if (deaths >= MAX_DEATHS) return dead(`${MAX_DEATHS} processes died while it was under way`);
    try {
      return await (ongoing ?? this.#options.work({ data, key, added, now, ageMs }));
    } catch (error) {
      this.#options.onError(error);
      if (error instanceof StoreClosedError) return { kind: 'again', afterMs: AWAY_MS, faults };
      if (faults + 1 >= MAX_FAULTS) return dead(`the bot failed ${MAX_FAULTS} times; see its log`);
      const afterMs = backoffMs(faults, this.#options.timing.faults, Math.random());
      return { kind: 'again', afterMs, faults: faults + 1 };
    }
  }

  #taken(): Array<InFlight<Data>> {
    return [...this.#inFlight.values()].filter(({ isAdopted }) => !isAdopted);
  }
}

const dead = (reason: string) => ({ kind: 'dead', reason }) as const;

const leasesOf = (inFlight: Iterable<InFlight<unknown>>) => [...inFlight].map(({ job }) => job.lease);
