import { randomBytes } from 'node:crypto';
import type { Secret } from '../domain/secret.ts';
import { type Engine, POSTGRES, type Query, type Queryable, SQLITE } from './dialect.ts';
import * as faults from './faults.ts';
import { DONE_FOR_MS } from './leases.ts';
import { openPostgres } from './postgres.ts';
import { claimFolder, openSqlite, type SqliteOptions } from './sqlite.ts';
import { createRows } from './tables.ts';
import { pause, repeat, type Workers } from './workers.ts';

/** `onError` receives the errors of work in the background. An outage is told by `onLost` alone. */
export type StoreOptions = ContactOptions & SqliteOptions & { onError(error: unknown): void };

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
    if (!faults.isAway(error)) options.onError(error);
  };
  let workers: readonly Workers[] | undefined;
  let looking: Promise<void> | undefined;
  let ending: Promise<unknown> | undefined;
  let sweepAt = 0;

  const { query, dialect, open, state, probe, close } = await connect(database, {
    ...options,
    onLost: (reason) => signal.aborted || options.onLost(reason), // Its own end is no outage.
    onBack: (awayMs) => workers && options.onBack(awayMs), // The opening itself is told.
    onError,
  });

  async function look(): Promise<void> {
    if (state() !== 'ok') return await probe();
    await query('select 1'); // Workers that are busy ask nothing.
    for (const each of workers ?? []) each.wake();
    if (options.clock() < sweepAt) return;
    sweepAt = options.clock() + SWEEP_EVERY_MS;
    if (await sweep({ query, dialect })) sweepAt = 0;
  }

  /** Takes no more jobs, and lets those under way end for at most `withinMs`. The rest goes back. */
  const endJobs = (withinMs: number) =>
    (ending ??= Promise.all((workers ?? []).map((each) => each.stop(withinMs))));

  return {
    dialect,
    query,
    /** Opens the database when the server is there, prepares, starts the workers. Resolves only if it will never open. */
    async open(
      start: () => readonly Workers[],
      prepare: () => Promise<unknown> = async () => {},
    ): Promise<faults.LastingFaultError> {
      try {
        await open(signal);
        await prepare();
        workers = ending || signal.aborted ? [] : start();
        looking = repeat(LOOK_EVERY_MS, look, { onError, signal });
      } catch (error) {
        if (error instanceof faults.LastingFaultError) return error;
        onError(error);
      }
      return new Promise(() => {});
    },
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

const DEAD_FOR_MS = 30 * DONE_FOR_MS;
/** The most rows that one statement forgets; the embedded database answers nobody meanwhile. */
const BATCH = 1000;

/** Forgets what is known long enough. Several processes may sweep at once. @returns whether there may be more */
export async function sweep({ query, dialect: { job, kept, now } }: Queryable): Promise<boolean> {
  // SQLite uses a partial index only where the statement has the index's own condition.
  const settled = (state: string, forMs: number) =>
    query(
      `delete from ${job} where seq in (
         select seq from ${job} where state <> 'open' and state = '${state}' and at < ${now} - ${forMs}
         order by at limit ${BATCH}
       ) returning seq`,
    );
  const done = await settled('done', DONE_FOR_MS);
  const dead = await settled('dead', DEAD_FOR_MS);
  const over = await query(
    `delete from ${kept} where (kind, key) in (
       select kind, key from ${kept} where until <= ${now} limit ${BATCH}
     ) returning key`,
  );
  return [done, dead, over].some(({ length }) => length === BATCH);
}

/** A server by its address, or the folder of the embedded database. */
export type DatabaseSettings = { url: Secret } | { directory: string };
const OPEN_AGAIN_MS = 2000;
const WAIT_FOR_OPENING_MS = 2000; // The message extension must answer within 5 s.
/** As large as a large job, so that a full disk has no place for it either. */
const PROBE_BYTES = 6000;

/** Connects to a database that may be away, now or from the beginning. Throws as {@link createStore}. */
async function connect(database: DatabaseSettings, options: StoreOptions) {
  const isServer = 'url' in database;
  const lock = isServer ? undefined : claimFolder(database.directory);
  const dialect = isServer ? POSTGRES : SQLITE;
  const contact = createContact(options);
  const opened = Promise.withResolvers<Engine>();
  let engine: Engine | undefined;
  let cannotOpen = false;

  async function tryToOpen(): Promise<void> {
    try {
      engine = isServer ? await openPostgres(database.url, options) : openSqlite(database.directory, options);
      contact.gain();
      opened.resolve(engine);
    } catch (error) {
      const lasting = faults.lastingFaultOf(error);
      if (lasting !== undefined) throw new faults.LastingFaultError(lasting, { cause: error });
      cannotOpen = true;
      options.onError(error);
      contact.lose(error);
    }
  }

  async function ask(sql: string, values: Parameters<Query>[1]): Promise<never[]> {
    if (engine === undefined && cannotOpen)
      throw new faults.StoreClosedError('the database cannot be opened');
    const open =
      engine ?? (await faults.within(WAIT_FOR_OPENING_MS, opened.promise, 'the database is not open'));
    return open.query(sql, values);
  }
  const query: Query = (sql, values) => contact.call(() => ask(sql, values));

  if (!isServer)
    await tryToOpen().catch((error) => {
      lock?.release();
      throw error;
    });

  return {
    query,
    dialect,
    /** Opens a server's database; tries again until the server is there, or the signal. @throws LastingFaultError */
    async open(signal: AbortSignal): Promise<void> {
      while (engine === undefined && !signal.aborted) {
        await tryToOpen();
        if (engine === undefined) await pause(OPEN_AGAIN_MS, signal);
      }
      if (signal.aborted) await engine?.close(); // It was opened after the close.
    },
    state(): string {
      if (engine !== undefined) return contact.state();
      return cannotOpen ? 'cannot be opened' : 'opening';
    },
    /** Finds out whether a database that was lost takes changes again. Throws what `query` throws. */
    async probe(): Promise<void> {
      await query(`delete from ${dialect.job} where seq = 0`); // Waits if the table is locked.
      await createRows({ query, dialect }, 'probe').save('', randomBytes(PROBE_BYTES).toString('base64'), 0);
      contact.gain();
    },
    async close(): Promise<void> {
      await engine?.close().catch(options.onError);
      lock?.release();
    },
  };
}

type ContactOptions = Pick<SqliteOptions, 'clock'> & {
  /** Called once when the database goes or cannot be opened, with the reason; again if the reason is then one that lasts. */
  onLost(reason: string): void;
  /** Called once when the database is back, or is open at last. */
  onBack(awayMs: number): void;
};

/** What the bot knows of its database from its own calls. Many databases that take no changes still answer questions. */
export function createContact({ onLost, onBack, clock }: ContactOptions) {
  let lost: { at: number; state: string; isLasting: boolean } | undefined;

  function lose(error: unknown): void {
    const wasLasting = lost?.isLasting === true;
    const isLasting = wasLasting || faults.lastingFaultOf(error) !== undefined;
    const isNews = lost === undefined || isLasting !== wasLasting;
    lost = { at: lost?.at ?? clock(), state: faults.stateOf(error), isLasting };
    if (isNews) onLost(faults.wordsOf(error));
  }

  return {
    state: () => lost?.state ?? 'ok',
    lose,
    /** Notes that the database was opened, or took a change. */
    gain(): void {
      if (lost === undefined) return;
      const awayMs = clock() - lost.at;
      lost = undefined;
      onBack(awayMs);
    },
    /** Runs a call and notes what it tells. Throws what the call throws, or StoreClosedError if the database is away. */
    async call<Result>(question: () => Promise<Result>): Promise<Result> {
      try {
        return await question();
      } catch (error) {
        // While the database is away, a driver has errors that nobody has listed.
        if (!faults.isAway(error) && (lost === undefined || faults.isRefusal(error))) throw error;
        lose(error);
        if (error instanceof faults.StoreClosedError) throw error;
        throw new faults.StoreClosedError('the database is away', { cause: error });
      }
    },
  };
}
