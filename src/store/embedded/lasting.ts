import { dirname } from 'node:path';
import { backoffMs } from '../../time/backoff.ts';
import { StoreClosedError, within, withSpace } from '../closed.ts';
import { EmbeddedThread } from './thread.ts';

/** The pauses before the next opening. On a full disk an opening fails, after 0.3 s of work. */
const REOPEN = { firstMs: 1000, mostMs: 15_000 };

/** A database that was open for longer starts with the first pause again. */
const LASTED_MS = 60_000;

const CLOSES_WITHIN_MS = 2000;

/**
 * A database in a thread of its own, opened again by the next call whenever it has ended. It is ended if it cannot go on or
 * does not answer. Its calls then get a StoreClosedError until a pause is over and it is open again.
 */
export class LastingDatabase {
  readonly #folder: string;
  #thread = new EmbeddedThread();
  #openedAt = performance.now();
  #reopenAt = 0;
  #endings = 0;
  #endingsInARow = 0;
  #why = 'the embedded database has ended';
  #isClosed = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Opens the database in a folder; makes the folder if it is missing.
   * @param signal ends the database, open or not
   * @throws StoreClosedError if it cannot be opened
   */
  static async open(folder: string, signal: AbortSignal): Promise<LastingDatabase> {
    signal.throwIfAborted();
    const database = new LastingDatabase(folder);
    signal.addEventListener('abort', () => database.#end(), { once: true });
    try {
      await database.#thread.open(folder);
    } catch (error) {
      await database.#end();
      throw await withSpace(error, dirname(folder));
    }
    return database;
  }

  /**
   * Runs one statement, or several without values, after those of earlier calls.
   * Throws EmbeddedError if the database refuses, or StoreClosedError.
   */
  run(sql: string, values?: unknown[]): Promise<unknown[]> {
    if (this.#isClosed) return Promise.reject(new StoreClosedError('the embedded database is closed'));
    const endings = this.#endings;
    return this.#inTurn(() => {
      if (this.#endings !== endings)
        throw new StoreClosedError('the embedded database ended before this statement');
      return this.#runNow(sql, values);
    });
  }

  /** Ends the database within about 3 s, whatever it does. @throws StoreClosedError if its files were not closed */
  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      if (this.#thread.state === 'up') {
        const closed = this.#inTurn(() => this.#thread.close());
        await within(CLOSES_WITHIN_MS, closed, 'the embedded database was ended, not closed');
      }
    } finally {
      await this.#end();
    }
  }

  #end(): Promise<void> {
    this.#isClosed = true;
    return this.#thread.end();
  }

  /** A task that fails holds up nobody. */
  #inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => {}); // The caller is told.
    return result;
  }

  async #runNow(sql: string, values: unknown[] | undefined): Promise<unknown[]> {
    const { state } = this.#thread;
    if (state !== 'up' && (state === 'ending' || this.#isClosed || performance.now() < this.#reopenAt))
      throw new StoreClosedError(`not open again yet: ${this.#why}`);
    try {
      if (state === 'gone') await this.#reopen();
      return await this.#thread.run(sql, values);
    } catch (error) {
      if (this.#thread.state === 'up') throw error;
      this.#noteEnd();
      const ended = await withSpace(error, this.#folder);
      this.#why = ended.message; // Whoever asked may have stopped waiting.
      throw ended;
    }
  }

  async #reopen(): Promise<void> {
    this.#thread = new EmbeddedThread();
    this.#openedAt = performance.now();
    await this.#thread.open(this.#folder);
  }

  #noteEnd(): void {
    const now = performance.now();
    this.#endingsInARow = now - this.#openedAt > LASTED_MS ? 0 : this.#endingsInARow + 1;
    this.#reopenAt = now + backoffMs(this.#endingsInARow, REOPEN);
    this.#endings += 1;
  }
}
