import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../domain/timing.ts';
import type { DatabaseSettings, Engine, Query, Queryable } from './dialect.ts';
import * as faults from './faults.ts';
import { openPostgres } from './postgres.ts';
import { DONE_FOR_MS, type QueueName, WORK } from './queue.ts';
import { claimFolder, openSqlite } from './sqlite.ts';
import { createRows } from './tables.ts';

type StoreOptions = {
  database: DatabaseSettings;
  clock: Clock;
  /** Observes the time that each change took to reach the disk. */
  commits: { observe(seconds: number): void };
  /** Called with each new state, in the words of `/readyz`: `ok`, or why the database does not work, with the error's words. */
  onState(state: string, reason?: string): void;
  /** Called with the errors of work in the background, also those of an outage. */
  onError(error: unknown): void;
};

export type BackgroundWork = {
  readonly queueName: QueueName | 'rest' | undefined;
  /** Looks for work; called when this process puts a job, and each second: with a name, only if there is such work. */
  wake(): void;
  /** Begins nothing more, and lets the jobs in flight end for at most this long. The rest goes back; no try is spent. */
  stop(withinMs: number): Promise<void>;
};

const LOOK_EVERY_MS = 1000;
const SWEEP_EVERY_MS = 10_000;

const OPEN_AGAIN_MS = 2000;
const OPENING_MS = 2000; // The message extension must answer within 5 s.

/** The bot's database, which may be away now or from the beginning, and the work on its jobs. */
export class Store implements Queryable {
  readonly #options: StoreOptions;
  readonly #lock: Disposable | undefined;
  readonly #stopping = new AbortController();
  readonly #opened = Promise.withResolvers<Engine>();
  #engine: Engine | undefined;
  /** Why the database does not work now, by the bot's own calls. */
  #lost: string | undefined;
  #workers: readonly BackgroundWork[] | undefined;
  #looking: Promise<void> | undefined;
  #ending: Promise<unknown> | undefined;
  #sweepAt = 0;

  /** Claims the embedded database's folder. @throws LastingFaultError, an error of the file system */
  constructor(options: StoreOptions) {
    const { database } = options;
    this.#options = options;
    this.#lock = 'url' in database ? undefined : claimFolder(database.directory);
  }

  /**
   * Waits 2 s for a server's database to open, then 2 s for the answer, and throws StoreClosedError; the server may still do
   * its work. An arrow function, because callers use it without `this`.
   */
  readonly query: Query = async (sql, values) => {
    const { clock, commits } = this.#options;
    try {
      if (this.#lost && !this.#engine) throw new faults.StoreClosedError('the database cannot be opened');
      const engine =
        this.#engine ?? (await faults.within(OPENING_MS, this.#opened.promise, 'the database is not open'));
      const begun = clock.steady();
      const rows = await engine.query<never>(sql, values);
      if (!/^\s*select/.test(sql)) commits.observe((clock.steady() - begun) / 1000);
      return rows;
    } catch (error) {
      if (!faults.isAway(error)) throw error;
      this.#lose(error);
      throw new faults.StoreClosedError('the database is away', { cause: error });
    }
  };

  /** Opens the database when the server is there, prepares, starts the workers. Resolves only if it will never open: with the fault. */
  async open(start: () => readonly BackgroundWork[], prepare = async () => {}) {
    const { signal } = this.#stopping;
    try {
      while (this.#engine === undefined && !signal.aborted) {
        await this.tryToOpen();
        if (this.#engine === undefined) await pause(OPEN_AGAIN_MS, signal);
      }
      if (signal.aborted) await this.#engine?.close(); // It was opened after the close.
      await prepare();
      this.#workers = this.#ending || signal.aborted ? [] : start();
      if (!this.#lost) this.#options.onState('ok');
      this.#looking = this.#keepLooking();
    } catch (error) {
      if (faults.lastingFaultOf(error)) return error;
      this.#options.onError(error);
    }
    return new Promise<never>(() => {});
  }

  /** Takes no more jobs, and lets those under way end for at most `withinMs`. The rest goes back. */
  endJobs(withinMs: number): Promise<unknown> {
    this.#ending ??= Promise.all((this.#workers ?? []).map((each) => each.stop(withinMs)));
    return this.#ending;
  }

  /** Like `endJobs`, then closes. A server that hangs is left after a second more. */
  async close(withinMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.endJobs(withinMs).catch(this.#options.onError), this.#looking]);
    await this.#engine?.close().catch(this.#options.onError);
    this.#lock?.[Symbol.dispose]();
  }

  /** Opens the database unless it is away. @throws an error with a lasting fault */
  async tryToOpen(): Promise<void> {
    const { database, clock } = this.#options;
    try {
      this.#engine =
        'url' in database ? await openPostgres(database.url) : openSqlite(database.directory, clock);
      this.#lost = undefined;
      this.#opened.resolve(this.#engine);
    } catch (error) {
      if (faults.lastingFaultOf(error)) {
        this.#lock?.[Symbol.dispose]();
        throw error;
      }
      if (!faults.isAway(error)) this.#options.onError(error);
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    const state = this.#engine ? faults.awayState(error) : 'cannot be opened';
    const isNew = state !== this.#lost && !this.#stopping.signal.aborted; // Its own end is no outage.
    this.#lost = state;
    if (isNew) this.#options.onState(state, faults.wordsOf(error));
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#look().catch((error) => signal.aborted || this.#options.onError(error));
      await pause(LOOK_EVERY_MS, signal);
    }
  }

  async #look(): Promise<void> {
    const { clock } = this.#options;
    if (this.#lost) return await this.#probe();
    const rows = await this.query<{ queue: string }>(WORK);
    const due = new Set(rows.map(({ queue }) => queue));
    for (const each of this.#workers ?? [])
      if (each.queueName === undefined || due.has(each.queueName)) each.wake();
    if (clock.steady() < this.#sweepAt) return;
    this.#sweepAt = clock.steady() + SWEEP_EVERY_MS;
    await sweep(this);
  }

  /** Tries changes: many databases that take none still answer questions. */
  async #probe(): Promise<void> {
    await this.query(`delete from job where seq = 0`); // Waits if the table is locked.
    const large = randomBytes(6000).toString('base64'); // A full disk has no place for it, as for a large job.
    await createRows(this, 'probe').save('', large, 0);
    this.#lost = undefined;
    this.#options.onState('ok');
  }
}

/** The most rows that one statement forgets; the embedded database answers nobody meanwhile. */
const BATCH = 1000;

/** Forgets rows that have been known long enough. Several processes may sweep at once. */
export async function sweep({ query }: Queryable): Promise<void> {
  // SQLite uses a partial index only where the statement has the index's own condition.
  for (const [state, days] of Object.entries({ done: 1, dead: 30 }))
    await query(
      `delete from job where seq in (
         select seq from job where state <> 'open' and state = '${state}' and at < now_ms() - ${days * DONE_FOR_MS}
         order by at limit ${BATCH})`,
    );
  await query(
    `delete from kept where (kind, key) in (select kind, key from kept where until <= now_ms() limit ${BATCH})`,
  );
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {}); // Nothing but the signal rejects it.
}
