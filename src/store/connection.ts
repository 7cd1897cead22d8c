import { randomBytes } from 'node:crypto';
import type { Secret } from '../domain/secret.ts';
import { type Engine, POSTGRES, type Query, SQLITE } from './dialect.ts';
import {
  isAway,
  isRefusal,
  LastingFaultError,
  lastingFaultOf,
  StoreClosedError,
  stateOf,
  wordsOf,
} from './faults.ts';
import { openPostgres, type PostgresOptions } from './postgres.ts';
import { claimFolder, openSqlite } from './sqlite.ts';
import { createRows } from './tables.ts';
import { pause, within } from './waiting.ts';

/** A server by its address, or the folder of the embedded database. */
export type DatabaseSettings = { url: Secret } | { directory: string };
const OPEN_AGAIN_MS = 2000;
const WAIT_FOR_OPENING_MS = 2000; // The message extension must answer within 5 s.
/** As large as a large job, so that a full disk has no place for it either. */
const PROBE_BYTES = 6000;

/**
 * Connects to a database that may be away, now or from the beginning. Claims an embedded one's folder, and opens it at once.
 * @throws LastingFaultError, an error of the file system
 */
export async function connect(database: DatabaseSettings, options: PostgresOptions & ContactOptions) {
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
      const lasting = lastingFaultOf(error);
      if (lasting !== undefined) throw new LastingFaultError(lasting, { cause: error });
      cannotOpen = true;
      options.onError(error);
      contact.lose(error);
    }
  }

  async function ask(sql: string, values: Parameters<Query>[1]): Promise<never[]> {
    if (engine === undefined && cannotOpen) throw new StoreClosedError('the database cannot be opened');
    const open = engine ?? (await within(WAIT_FOR_OPENING_MS, opened.promise, 'the database is not open'));
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
    /** Opens a server's database; tries again until the server is there. @throws LastingFaultError, StoreClosedError */
    async open(signal: AbortSignal): Promise<void> {
      while (engine === undefined && !signal.aborted) {
        await tryToOpen();
        if (engine === undefined) await pause(OPEN_AGAIN_MS, signal);
      }
      if (!signal.aborted) return;
      await engine?.close(); // It was opened after the close.
      throw new StoreClosedError('the database was closed before it was open');
    },
    /** `ok`, or why the database does not work now. */
    state(): string {
      if (engine !== undefined) return contact.state();
      return cannotOpen ? 'cannot be opened' : 'opening';
    },
    /** Finds out whether a database that was lost takes changes again. Throws what `query` throws. */
    async probe(): Promise<void> {
      await createRows({ query, dialect }, 'probe').save('', randomBytes(PROBE_BYTES).toString('base64'), 0);
      contact.gain();
    },
    async close(): Promise<void> {
      await engine?.close().catch(options.onError);
      lock?.release();
    },
  };
}

export type ContactOptions = {
  /** Called once when the database goes or cannot be opened, with the reason; again if the reason is then one that lasts. */
  onLost(reason: string): void;
  /** Called once when the database is back, or is open at last. */
  onBack(awayMs: number): void;
  /** A clock that is never set back (milliseconds): the embedded database's clock, and the measure of outages and calls. */
  clock: () => number;
};

/**
 * What the bot knows of its database from its own calls. A database that is lost is back when `gain` says so: many that take
 * no changes still answer questions.
 */
export function createContact({ onLost, onBack, clock }: ContactOptions) {
  let lost: { at: number; state: string; isLasting: boolean } | undefined;

  function lose(error: unknown): void {
    const wasLasting = lost?.isLasting === true;
    const isLasting = wasLasting || lastingFaultOf(error) !== undefined;
    const isNews = lost === undefined || isLasting !== wasLasting;
    lost = { at: lost?.at ?? clock(), state: stateOf(error), isLasting };
    if (isNews) onLost(wordsOf(error));
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
        if (!isAway(error) && (lost === undefined || isRefusal(error))) throw error;
        lose(error);
        if (error instanceof StoreClosedError) throw error;
        throw new StoreClosedError('the database is away', { cause: error });
      }
    },
  };
}
