import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from '../domain/jobs.ts';
import { backoffMs, endsWithin, type Timing } from '../domain/timing.ts';
import type { Content } from './content.ts';
import type { Holding, Leases, TakenJob } from './leases.ts';

/** Work in the background. */
export type Workers = {
  /** The queue whose jobs are done; undefined: the work is not about jobs. */
  name?: string;
  /** Looks for work; called each second, and when a job is put. */
  wake(): void;
  /** Begins nothing more, and lets what is under way end for at most this long. The rest goes back; no try is spent. */
  stop(withinMs: number): Promise<void>;
};

export type WorkersOptions<Data> = {
  name: string;
  leases: Leases;
  content: Content<Data>;
  worker: Worker<Data>;
  timing: Pick<Timing, 'leaseMs' | 'faults'>;
  onError(error: unknown): void;
};

/** How many jobs of one queue are under way at once, and how many one statement takes. */
const PLACES = 80;
const BATCH = 20;

/** A job that was under way when so many processes died likely killed them. */
const MOST_DEATHS = 20;

const MOST_FAULTS = 5;

/** A newer release may take its job in the meantime. */
const ANOTHER_RELEASE_AFTER_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

const SETTLE_AGAIN_MS = 1000;

type UnderWay = { holding: Holding; end: Promise<void> };

/**
 * Takes the jobs of one queue as they fall due. Each job is settled when its work ends, and its place is free at once. A
 * statement that settles a job is repeated until the database takes it.
 */
export function startWorkers<Data>(options: WorkersOptions<Data>): Workers {
  const { name, leases, timing, onError } = options;
  const underWay = new Map<number, UnderWay>();
  const stopping = new AbortController();
  let looking: Promise<void> | undefined;
  let mayBeMore = false;

  const names = () => [...new Set([...underWay.values()].map(({ holding }) => holding.lease))];
  const renewing = setInterval(() => {
    if (underWay.size > 0) leases.renew(names()).catch(onError);
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
    while (mayBeMore && underWay.size < PLACES && !stopping.signal.aborted) {
      mayBeMore = false;
      const limit = Math.min(BATCH, PLACES - underWay.size);
      const lease = randomUUID();
      const taken = await leases.take(lease, limit);
      if (taken.length === limit) mayBeMore = true;
      if (stopping.signal.aborted) return await leases.giveBack([lease]);
      for (const job of taken) begin(job, lease);
    }
  }

  function begin(job: TakenJob, lease: string): void {
    const here = underWay.get(job.seq);
    if (here !== undefined) {
      here.holding.lease = lease; // The renewal came late: the work goes on under the new lease.
      return;
    }
    const holding = { seq: job.seq, lease, due: job.due };
    const end = settle(job, holding, options, stopping.signal).finally(() => {
      underWay.delete(job.seq);
      if (mayBeMore) wake();
    });
    underWay.set(job.seq, { holding, end });
  }

  wake();
  return {
    name,
    wake,
    async stop(withinMs) {
      stopping.abort();
      await looking;
      await endsWithin(Promise.all([...underWay.values()].map(({ end }) => end)), withinMs);
      clearInterval(renewing);
      if (underWay.size > 0) await leases.giveBack(names());
    },
  };
}

/** Works on a job, and settles it as often as it takes the database to take that. Never rejects. */
async function settle<Data>(
  job: TakenJob,
  holding: Holding,
  options: WorkersOptions<Data>,
  signal: AbortSignal,
): Promise<void> {
  const settled = await outcomeOf(job, options);
  while (true) {
    try {
      return await settled(holding);
    } catch (error) {
      options.onError(error);
      if (signal.aborted) return;
      await delay(SETTLE_AGAIN_MS, undefined, { ref: false });
    }
  }
}

/** Works on a job. Returns what settles the job. */
async function outcomeOf<Data>(
  { seq, data: text, deaths, faults, age }: TakenJob,
  { leases, content, worker, timing, onError }: WorkersOptions<Data>,
): Promise<(holding: Holding) => Promise<void>> {
  const job = content.read(text);
  /** A crash between the two tells the dead letter twice rather than never. */
  const giveUp = (reason: string) => async (holding: Holding) => {
    await worker.onDead({ key: job.key, data: job.data, reason });
    await leases.giveUp(holding, reason);
  };
  if (job.kind === 'newer' && age < DAY_MS)
    return (holding) => leases.again(holding, text, ANOTHER_RELEASE_AFTER_MS, faults);
  if (job.kind === 'newer') return giveUp('another release of the bot wrote it');
  if (job.kind === 'damaged') return giveUp('its row is damaged, or another release of the bot wrote it');
  if (deaths >= MOST_DEATHS) return giveUp(`${MOST_DEATHS} processes died while it was under way`);
  try {
    const outcome = await worker.work(job.data, job.key, seq);
    switch (outcome.kind) {
      case 'done':
        return leases.complete;
      case 'dead':
        return giveUp(outcome.reason);
      case 'again': {
        const next = content.write(job.key, outcome.data);
        return (holding) => leases.again(holding, next, outcome.afterMs, 0);
      }
    }
  } catch (error) {
    onError(error);
    if (faults + 1 >= MOST_FAULTS) return giveUp(`the bot failed ${MOST_FAULTS} times; see its log`);
    return (holding) => leases.again(holding, text, backoffMs(faults + 1, timing.faults), faults + 1);
  }
}
