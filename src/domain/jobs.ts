/**
 * `done`: known for `keepMs` (default: 24 hours), perhaps with other data. `again`: to be tried again with this data
 * after this long. `dead`: given up, a dead letter, and reported.
 */
export type JobOutcome<Data> =
  | { kind: 'done'; data?: Data; keepMs?: number }
  | { kind: 'again'; data: Data; afterMs: number }
  | { kind: 'dead'; reason: string };

/** Data that were added to a job since its last work, the oldest first. `at`: when, by the store's clock. */
type Added = { at: number; data: unknown };
/** A job as its worker gets it. `now`, and `ageMs` since the job was put: by the store's clock. */
export type Job<Data> = { data: Data; key: string; added: readonly Added[]; now: number; ageMs: number };
/** Works on one job. An exception is a bug: the job is tried five times and then given up. */
export type Work<Data> = (job: Job<Data>) => Promise<JobOutcome<Data>>;
/** A job that was given up. `data` can have any form: perhaps no release can read it. */
export type DeadJob = { key: string | undefined; data: unknown; reason: string };

/**
 * `key`: for `revive` and `settle`. `data`: undefined if this release cannot read it. `reason`: of a dead letter alone. `at`: when
 * it was put, or given up, and `now`: when it was read, by the store's clock.
 */
type ListedJob<Data> = Pick<Job<Data>, 'key' | 'added' | 'now'> & {
  data: Data | undefined;
  reason: string | null;
  at: number;
};

export type JobState = 'open' | 'done' | 'dead';

/** A job is known until 24 hours after it was done, or 30 days after it was given up. Throws the store's errors. */
export type Queue<Data> = {
  /**
   * Puts a job, perhaps even if it throws a StoreClosedError. Equal keys make one job everywhere. `full`: none was put.
   * @param when after how long it is due; `done`: it only has to be known; or the outcome of work that this process has
   * begun: until then no worker takes the job, unless the process dies
   */
  put(
    key: string,
    data: Data,
    when?: number | 'done' | Promise<JobOutcome<Data>>,
  ): Promise<'put' | 'known' | 'full'>;
  /** Adds to a job, and makes it due now, in any state; makes one (with `data`) if there is none. `full`: adds nothing. */
  wake(key: string, data: Data, added: object): Promise<'woken' | 'full'>;
  find(key: string): Promise<JobState | undefined>;
  /** Gives an open job other data. False if there is none, or if a worker has it. */
  change(key: string, data: Data): Promise<boolean>;
  /** Ends a job that is open, or drops a dead letter. */
  settle(key: string): Promise<void>;
  /** Counts jobs; a job that a worker has taken is not waiting. `overdue`: for how long the oldest has been due (milliseconds). */
  count(): Promise<{ waiting: number; dead: number; overdue: number }>;
  /** Lists the oldest jobs: open ones, those of them that no worker has, or dead letters. */
  list(which: 'open' | 'waiting' | 'dead', limit?: number): Promise<Array<ListedJob<Data>>>;
  /** Lets a dead letter, or a waiting job, be tried as if it had just been put. False if there is none. */
  revive(key: string): Promise<boolean>;
};
