import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { endsWithin } from '../time/within.ts';
import { type DatabaseSettings, type Engine, type EngineOptions, openEngine } from './engine.ts';
import { lockFolder } from './lock.ts';
import type { Ask, Query } from './sql.ts';

/** The database is not open yet, cannot be opened, or does not answer. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';
}

/**
 * The bot's database, opened while the server starts. A call waits 2 s for it to open, and 2 s for a server's answer, and
 * then throws. A server that hangs may still do what it was asked.
 */
export type Store = {
  /** Throws what the database throws, or StoreClosedError. */
  query: Query;
  /** Asks the queues' engine. Throws what the engine throws, or StoreClosedError. */
  ask: Ask;
  /** Begins to open the database in the background, if no call has yet. Retries until the server is there. */
  open(): void;
  /** `ok`, `opening`, or why the database does not work now. */
  state(): Promise<string>;
  /** Lets running jobs end for at most `withinMs`, then closes. Abandons a server that hangs a second longer. */
  close(withinMs: number): Promise<void>;
};

const RETRY_OPENING_MS = 2000;
const WAIT_FOR_OPENING_MS = 2000; // The message extension must answer within 5 s.
const WAIT_FOR_ANSWER_MS = 2000;
const WAIT_FOR_CLOSING_MS = 1000;

/**
 * Creates a store that is not open yet; claims the embedded database's folder at once.
 * @throws FolderInUseError
 */
export async function createStore(database: DatabaseSettings, options: EngineOptions): Promise<Store> {
  const lock = 'directory' in database ? await claim(database.directory) : undefined;
  let closing = false;
  let hasBegun = false;
  let fault: string | undefined;
  let engine: Engine | undefined;
  const { promise: opened, resolve: setOpened } = Promise.withResolvers<Engine>();

  async function keepOpening(): Promise<void> {
    while (engine === undefined && !closing) {
      try {
        engine = await openEngine(database, options);
        fault = undefined;
        setOpened(engine);
      } catch (error) {
        options.onError(error);
        fault = 'cannot be opened';
        await delay(RETRY_OPENING_MS, undefined, { ref: false });
      }
    }
  }

  function beginOpening(): void {
    if (!hasBegun) keepOpening().catch(options.onError);
    hasBegun = true;
  }

  const ask: Ask = async (question) => {
    beginOpening();
    if (engine === undefined && fault !== undefined) throw new StoreClosedError(`the database ${fault}`);
    const { boss } = engine ?? (await within(WAIT_FOR_OPENING_MS, opened, 'the database is not open'));
    const answer = question(boss).catch((error: unknown) => {
      throw isAway(error) ? new StoreClosedError('the database cannot be reached', { cause: error }) : error;
    });
    // The embedded one runs in this process: it can be slow, but not hang.
    return 'url' in database ? within(WAIT_FOR_ANSWER_MS, answer, 'the database does not answer') : answer;
  };

  const query: Query = async (sql, values = []) =>
    (await ask((boss) => boss.getDb().executeSql(sql, [...values]))).rows;

  return {
    query,
    ask,
    open: beginOpening,
    state: async () =>
      engine === undefined
        ? (fault ?? 'opening')
        : (await isAnswering(query, options))
          ? 'ok'
          : 'does not answer',
    async close(withinMs) {
      closing = true;
      const closed = Promise.resolve(engine?.close(withinMs));
      await within(withinMs + WAIT_FOR_CLOSING_MS, closed, 'the database could not be closed').catch(
        options.onError,
      );
      lock?.release();
    },
  };
}

async function isAnswering(query: Query, { onError }: EngineOptions): Promise<boolean> {
  try {
    await query('select 1');
    return true;
  } catch (error) {
    onError(error);
    return false;
  }
}

/**
 * Whether an error says that the server is away: no connection, a connection that ended (SQLSTATE class 08), or a server that
 * shuts down or starts (57P01 to 57P03).
 */
function isAway(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return /^(?:E[A-Z]{4,}|08\w{3}|57P0[123])$/.test(code);
  return /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout)/.test(
    String(message),
  );
}

/** Only the owner may read what is in the folder. */
function claim(directory: string) {
  process.umask(0o077); // PGlite creates files that everyone can read.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return lockFolder(directory);
}

/** Returns the task's result. A slower task goes on, but nobody waits for it. @throws StoreClosedError after `ms` */
async function within<Result>(ms: number, task: Promise<Result>, otherwise: string): Promise<Result> {
  if (await endsWithin(task, ms)) return task;
  throw new StoreClosedError(otherwise);
}
