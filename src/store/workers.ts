import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  type JobCounts,
  type JobOutcome,
  MAX_DEATHS,
  type Settlement,
  settle,
  type Worker,
  type WorkerOutcome,
} from '../domain/jobs.ts';
import { parseJson } from '../domain/text.ts';
import { backoffMs, settlesWithin, type Timing } from '../domain/timing.ts';
import type { Queryable, Value } from './dialect.ts';
import { StoreClosedError } from './faults.ts';

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
  onError(error: unknown): void;
};

/** How many jobs of one queue are under way at once, and how many one statement takes. */
const PLACES = 80;
const BATCH = 20;
const SETTLE_AGAIN_MS = 1000;

/** Takes the jobs of one queue as they fall due. What settles a job is repeated until the database takes it. */
export function startWorkers<Data>(store: Queryable, options: WorkersOptions<Data>) {
  const { name, timing, onError } = options;
  const leases = createLeases(store, name, timing.leaseMs);
  const inFlight = new Map<number, { job: TakenJob; isAdopted: boolean; end: Promise<void> }>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let looking: Promise<void> | undefined;
  let mayBeMore = false;
  /** Leases of calls that failed. A slow database may have granted them all the same: no process died of those. */
  const unsure: string[] = [];

  const taken = () => [...inFlight.values()].filter(({ isAdopted }) => !isAdopted);
  const leasesOf = (jobs: Iterable<{ job: TakenJob }>) => [...new Set([...jobs].map(({ job }) => job.lease))];
  const renewing = setInterval(() => {
    if (inFlight.size > 0) leases.renew(leasesOf(inFlight.values())).catch(onError);
    if (unsure.length > 0) leases.giveBack(unsure.splice(0)).catch(onError);
  }, timing.leaseMs / 3);

  function wake(): void {
    mayBeMore = true;
    looking ??= look()
      .catch(onError)
      .finally(() => {
        looking = undefined;
      });
  }

  async function look(): Promise<void> {
    while (mayBeMore && taken().length < PLACES && !signal.aborted) {
      const limit = Math.min(BATCH, PLACES - taken().length);
      const lease = randomUUID();
      mayBeMore = false;
      const jobs = await leases.take(lease, limit).catch((error: unknown) => {
        unsure.push(lease);
        throw error;
      });
      if (jobs.length === limit) mayBeMore = true;
      if (signal.aborted) return await leases.giveBack([lease]);
      for (const job of jobs) begin(job);
    }
  }

  /** @param ongoing what this process is doing for the job already */
  function begin(job: TakenJob, ongoing?: Promise<JobOutcome<Data>>): void {
    const here = inFlight.get(job.seq);
    if (here !== undefined) {
      here.job.lease = job.lease; // The renewal came late: the work goes on under the new lease.
      return;
    }
    const end = workOn(job, ongoing, leases, options, signal).finally(() => {
      inFlight.delete(job.seq);
      if (mayBeMore) wake();
    });
    inFlight.set(job.seq, { job, isAdopted: ongoing !== undefined, end });
  }

  wake();
  return {
    wake,
    /** Sees to a job that this process has put and taken, until its outcome is settled. */
    adopt: begin,
    async stop(withinMs: number): Promise<void> {
      stopping.abort();
      await looking;
      await settlesWithin(Promise.all([...inFlight.values()].map(({ end }) => end)), withinMs);
      clearInterval(renewing);
      // What is done for an adopted job goes on until the process ends; then its lease runs out.
      if (taken().length > 0) await leases.giveBack(leasesOf(taken()));
    },
  };
}

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

/**
 * A job that a worker has taken, with the text of its row and its length by the database. The worker may change it until the
 * lease ends: then no call that names the lease changes anything. A job to which something was added since then stays open.
 */
export type TakenJob = JobCounts & Taken & { due: number; at: number };
type Taken = { seq: number; lease: string; data: string; length: number };
export type Leases = ReturnType<typeof createLeases>;

/** A worker's way to the jobs of one queue. @param leaseMs how long a worker has a job without a sign of life */
export function createLeases(
  { query, dialect: { job, now, skipLocked, texts } }: Queryable,
  queue: string,
  leaseMs: number,
) {
  const free = 'lease = null, lease_until = null';
  const changeAll = async (changes: string, leases: readonly string[]) =>
    void (await query(`update ${job} set ${changes} where state = 'open' and lease in (${texts('$1')})`, [
      JSON.stringify(leases),
    ]));
  return {
    /** Takes jobs that are due, first those that are due first, then those put first. A lease that ran out was a dead process's. */
    async take(lease: string, limit: number): Promise<TakenJob[]> {
      const taken = await query<TakenJob>(
        `with next as materialized (
           select seq from ${job}
           where queue = $1 and state = 'open' and due <= ${now} and (lease_until is null or lease_until <= ${now})
           order by due, seq limit $3 ${skipLocked}
         )
         update ${job} set lease = $2, lease_until = ${now} + ${leaseMs},
           deaths = deaths + case when lease is null then 0 else 1 end
         where seq in (select seq from next)
         returning seq, data, length(data) as length, due, lease, deaths, faults, ${now} as at, ${now} - at as "ageMs"`,
        [queue, lease, limit],
      );
      return taken.sort((one, other) => one.due - other.due || one.seq - other.seq);
    },
    renew: (leases: readonly string[]) => changeAll(`lease_until = ${now} + ${leaseMs}`, leases),
    giveBack: (leases: readonly string[]) => changeAll(free, leases),
    async settle({ seq, lease, data: text, length }: Taken, settlement: Settlement<string>): Promise<void> {
      /** @param state once nothing more was added. @param data takes the place of what the worker had; undefined: none does */
      const set = async (state: string, data: string | undefined, changes: string, ...values: Value[]) =>
        void (await query(
          `update ${job} set state = case when length(data) > $3 then 'open' else '${state}' end,
             data = case when cast($4 as text) is null then data else $4 || substr(data, $3 + 1) end,
             ${changes}, deaths = 0, ${free} where seq = $1 and lease = $2 and state = 'open'`,
          [seq, lease, length, data ?? null, ...values],
        ));
      switch (settlement.kind) {
        case 'done': {
          const { data = text.split('\n', 1)[0], keepMs = DONE_FOR_MS } = settlement;
          return set('done', data, `faults = 0, at = ${now} + cast($5 as bigint)`, keepMs - DONE_FOR_MS);
        }
        case 'dead':
          return set('dead', undefined, `reason = $5, at = ${now}`, settlement.reason);
        case 'again': {
          const { data, faults, afterMs } = settlement;
          const due = `due = case when length(data) > $3 then due else ${now} + cast($5 as bigint) end`;
          return set('open', data, `faults = $6, ${due}`, Math.round(afterMs), faults);
        }
      }
    },
  };
}

/** How long a done job is known. Its `at` lies later if it is kept for longer. */
export const DONE_FOR_MS = 24 * 3_600_000;

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
