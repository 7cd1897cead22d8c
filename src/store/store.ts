import { type ContactOptions, connect, type DatabaseSettings } from './connection.ts';
import type { Queryable } from './dialect.ts';
import { isAway, LastingFaultError } from './faults.ts';
import type { SqliteOptions } from './sqlite.ts';
import { repeat } from './waiting.ts';
import type { Workers } from './workers.ts';

export type Store = Awaited<ReturnType<typeof createStore>>;

export type StoreOptions = ContactOptions &
  SqliteOptions & {
    /** Receives the errors of work in the background. An outage is told by `onLost` alone. */
    onError(error: unknown): void;
  };

const LOOK_EVERY_MS = 1000;
const SWEEP_EVERY_MS = 30_000;

/**
 * The bot's database, and the work on its jobs. Claims the embedded database's folder, and opens it at once. A call waits 2 s
 * for a server's to open, then 2 s for the answer, and throws StoreClosedError; the server may still do what it was asked.
 * @throws LastingFaultError, an error of the file system
 */
export async function createStore(database: DatabaseSettings, options: StoreOptions) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const onError = (error: unknown) => {
    if (!isAway(error)) options.onError(error);
  };
  let workers: readonly Workers[] | undefined;
  let looking: Promise<void> | undefined;
  let ending: Promise<unknown> | undefined;
  let sweepAt = 0;

  const { query, dialect, open, state, probe, close } = await connect(database, {
    ...options,
    onBack: (awayMs) => workers && options.onBack(awayMs), // The opening itself is told.
    onNotice: (queue) => workers?.find(({ name }) => name === queue)?.wake(),
    onError,
  });

  async function openAndWork(start: () => readonly Workers[]): Promise<void> {
    await open(signal);
    workers = start();
    looking = repeat(LOOK_EVERY_MS, look, { onError, signal });
  }

  async function look(): Promise<void> {
    if (state() !== 'ok') return await probe();
    await query('select 1'); // Workers that are busy ask nothing.
    for (const each of workers ?? []) each.wake();
    if (options.clock() < sweepAt) return;
    sweepAt = options.clock() + SWEEP_EVERY_MS;
    if (await sweep({ query, dialect })) sweepAt = 0;
  }

  /** Takes no more jobs, and lets those under way end for at most `withinMs`. The rest goes back. */
  async function endJobs(withinMs: number): Promise<void> {
    ending ??= Promise.all((workers ?? []).map((each) => each.stop(withinMs)));
    await ending;
  }

  return {
    dialect,
    query,
    /**
     * Begins to work in the background: opens the database as soon as the server is there, and starts the workers. Resolves if
     * the database will not open however long the bot waits; it is not tried again.
     * @param start called once, when the database is open
     */
    open: (start: () => readonly Workers[]) =>
      new Promise<LastingFaultError>((resolve) => {
        openAndWork(start).catch((error) => {
          if (error instanceof LastingFaultError) resolve(error);
          else onError(error);
        });
      }),
    /** `ok`, `opening`, or why the database does not work now. Somebody asks it each second. */
    state: () => (workers === undefined && state() === 'ok' ? 'opening' : state()),
    endJobs,
    /** Like `endJobs`, then closes. A server that hangs is left after a second more. */
    async close(withinMs: number): Promise<void> {
      stopping.abort();
      await Promise.all([endJobs(withinMs).catch(onError), looking]);
      await close();
    },
  };
}

/** How long a done job's key and a dead letter are known. */
const DONE_FOR_MS = 24 * 3_600_000;
const DEAD_FOR_MS = 30 * DONE_FOR_MS;
/** The most rows that one statement forgets; the embedded database answers nobody meanwhile. */
const BATCH = 1000;

/** Forgets what is known long enough. Several processes may sweep at once. @returns whether there may be more */
export async function sweep({ query, dialect: { job, kept, now } }: Queryable): Promise<boolean> {
  const settled = (state: string, forMs: number) =>
    query(
      `delete from ${job} where seq in (
         select seq from ${job} where state = '${state}' and at < ${now} - ${forMs} order by at limit ${BATCH}
       ) returning seq`,
    );
  const done = await settled('done', DONE_FOR_MS);
  const dead = await settled('dead', DEAD_FOR_MS);
  await query(`delete from ${kept} where until <= ${now}`);
  return done.length === BATCH || dead.length === BATCH;
}
