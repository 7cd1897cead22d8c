/** `again`: to be tried again with this data after this long. `dead`: given up, kept among the dead letters, and told. */
export type JobOutcome<Data> =
  | { kind: 'done' }
  | { kind: 'again'; data: Data; afterMs: number }
  | { kind: 'dead'; reason: string };

/** Works on one job, `seq` in the order of arrival. An exception is a bug: the job is tried five times and then given up. */
export type Work<Data> = (data: Data, key: string, seq: number) => Promise<JobOutcome<Data>>;
/** A job that was given up. `data` can have any form: perhaps no release can read it. */
export type DeadJob = { key: string | undefined; data: unknown; reason: string };
/** Who works on a queue's jobs, and who tells those that wait for a job which was given up. */
export type Worker<Data> = { work: Work<Data>; onDead(job: DeadJob): Promise<void> };

export type DeadLetters<Data> = {
  /** The oldest dead letters that can be read. */
  listDead(limit: number): Promise<ReadonlyArray<{ data: Data; at: Date }>>;
  /** Puts every dead letter that can be read back into the queue, with the data that `renew` makes. @returns how many */
  retryDead(renew: (data: Data) => Data): Promise<number>;
  dropDead(): Promise<number>;
};

/** A job is known until 24 hours after it was done, or 30 days after it was given up. Throws what the store throws. */
export type Queue<Data> = DeadLetters<Data> & {
  /** Puts a job, perhaps even if it throws a StoreClosedError. Equal keys make one job everywhere. `full`: none was put. */
  put(key: string, data: Data, afterMs?: number): Promise<'put' | 'known' | 'full'>;
  /** Puts a job, or brings it forward, without a limit. One that is done comes up again with the new data. */
  wake(key: string, data: Data, afterMs?: number): Promise<void>;
  /** `none`: the job is not known. */
  progress(key: string): Promise<'none' | 'waiting' | 'done' | 'dead'>;
  /** Remembers that what a job with this key is about was done without a job. */
  note(key: string, data: Data): Promise<void>;
  find(key: string): Promise<Data | undefined>;
  /** Gives a job that waits other data. False if a worker has taken the job, or it is not there. */
  change(key: string, data: Data): Promise<boolean>;
  /** Postpones those of these jobs that no worker has taken yet. */
  defer(keys: readonly string[], afterMs: number): Promise<void>;
  settle(key: string): Promise<void>;
  /** Counts jobs; a job that a worker has taken is not waiting. `overdue`: for how long the oldest has been due (milliseconds). */
  count(): Promise<{ waiting: number; dead: number; overdue: number }>;
};

/** What is counted of a job: deaths of its process, failures of the work by a bug of ours, and milliseconds since it was put. */
export type JobCounts = { deaths: number; faults: number; age: number };

/** How a worker fared: `newer`, `damaged`: this release cannot read the job; `deadly`: nobody tried; `fault`: a bug. */
export type WorkerOutcome<Data> =
  | JobOutcome<Data>
  | { kind: 'newer' | 'damaged' | 'deadly' }
  | { kind: 'fault'; pauseMs: number };

/** What becomes of a job; tried again without `data`, it keeps its data. */
export type Settlement<Data> =
  | Exclude<JobOutcome<Data>, { kind: 'again' }>
  | { kind: 'again'; data?: Data; afterMs: number; faults: number };

/** A job that was under way when so many processes died likely killed them. */
export const MOST_DEATHS = 20;
const MOST_FAULTS = 5;
const NEWER_FOR_MS = 24 * 3_600_000;

export function settle<Data>({ faults, age }: JobCounts, outcome: WorkerOutcome<Data>): Settlement<Data> {
  const dead = (reason: string) => ({ kind: 'dead', reason }) as const;
  switch (outcome.kind) {
    case 'done':
    case 'dead':
      return outcome;
    case 'again':
      return { ...outcome, faults: 0 };
    case 'fault':
      if (faults + 1 >= MOST_FAULTS) return dead(`the bot failed ${MOST_FAULTS} times; see its log`);
      return { kind: 'again', afterMs: outcome.pauseMs, faults: faults + 1 };
    case 'newer': // A newer release may take its job in the meantime.
      if (age >= NEWER_FOR_MS) return dead('another release of the bot wrote it');
      return { kind: 'again', afterMs: 60_000, faults };
    case 'damaged':
      return dead('its row is damaged, or another release of the bot wrote it');
    case 'deadly':
      return dead(`${MOST_DEATHS} processes died while it was under way`);
  }
}
