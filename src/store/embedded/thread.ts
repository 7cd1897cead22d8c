import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { StoreClosedError } from '../closed.ts';
import type { Answer, Fault, Request } from './worker.ts';

/** The database refused a statement and goes on; `code` is Postgres's own. */
class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError';
  readonly code: string | undefined;

  constructor({ message, code }: Fault) {
    super(message);
    this.code = code;
  }
}

/** Opening takes 0.3 s, and as long again for new files; a slow machine, or much to recover, takes far longer. */
const OPENS_WITHIN_S = 120;

/** The longest statements take some tenths of a second: the making of pg-boss's tables, the move of 5000 done jobs. */
const ANSWERS_WITHIN_S = 10;

/**
 * V8's own bounds would be those of a whole process; ten thousand rows of 10 KB fit into these. The thread adds about 20 MB to
 * the process, or 40 with V8's own. The database's WebAssembly memory is not counted here.
 */
const LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };

/** The embedded database in a thread of its own, which can be ended whatever the database does. */
export class EmbeddedThread {
  readonly #worker: Worker;
  #state: 'up' | 'ending' | 'gone' = 'up';
  #waiting: PromiseWithResolvers<unknown[]> | undefined;

  constructor() {
    this.#worker = new Worker(new URL('worker.ts', import.meta.url), {
      name: 'database',
      resourceLimits: LIMITS,
    });
    this.#worker.unref(); // The watchdog's timer keeps the process while an answer is awaited.
    this.#worker.on('message', (answer: Answer) => this.#take(answer));
    this.#worker.on('error', (error) => this.#end(error instanceof Error ? error.message : inspect(error)));
    this.#worker.on('exit', () => {
      this.#state = 'gone';
      this.#waiting?.reject(new StoreClosedError('the embedded database has ended'));
    });
  }

  /** `ending` while it may still touch the files. */
  get state(): 'up' | 'ending' | 'gone' {
    return this.#state;
  }

  /** Opens the files in a folder; makes the folder if it is missing. @throws StoreClosedError if that ends the thread */
  async open(folder: string): Promise<void> {
    await this.#ask({ kind: 'open', folder }, OPENS_WITHIN_S);
  }

  /**
   * Runs one statement, or several without values; one call at a time.
   * Throws EmbeddedError if the database refuses, StoreClosedError if the thread ends before it answers.
   */
  run(sql: string, values?: unknown[]): Promise<unknown[]> {
    return this.#ask({ kind: 'run', sql, values }, ANSWERS_WITHIN_S);
  }

  /** Closes the files. @throws StoreClosedError if that ends the thread */
  async close(): Promise<void> {
    await this.#ask({ kind: 'close' }, ANSWERS_WITHIN_S);
  }

  /** Ends the thread, even one that spins. What was written stays, as after a killed process. */
  end(): Promise<void> {
    return this.#end('it was closed');
  }

  async #ask(request: Request, withinS: number): Promise<unknown[]> {
    if (this.#state !== 'up') throw new StoreClosedError('the embedded database has ended');
    this.#worker.postMessage(request);
    this.#waiting = Promise.withResolvers();
    const watchdog = watch(withinS, () => this.#end(`it did not answer for ${withinS} s`));
    try {
      return await this.#waiting.promise;
    } finally {
      clearInterval(watchdog);
      this.#waiting = undefined;
    }
  }

  #take(answer: Answer): void {
    switch (answer.kind) {
      case 'rows':
        this.#waiting?.resolve(answer.rows);
        break;
      case 'refused':
        this.#waiting?.reject(new EmbeddedError(answer.fault));
        break;
      case 'broken':
        this.#end(answer.fault.message);
        break;
    }
  }

  async #end(why: string): Promise<void> {
    if (this.#state === 'up') this.#state = 'ending';
    this.#waiting?.reject(new StoreClosedError(`the embedded database has ended: ${why}`));
    await this.#worker.terminate();
  }
}

/** Counts the seconds in which this thread ran: a process that was stopped meanwhile still takes an answer that has come. */
function watch(seconds: number, onLate: () => void): NodeJS.Timeout {
  let left = seconds;
  const timer = setInterval(() => {
    left -= 1;
    if (left === 0) onLate();
  }, 1000);
  return timer;
}
