import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../time/backoff.ts';
import { StoreClosedError, within } from './closed.ts';
import { type DatabaseSettings, type Engine, type EngineOptions, openEngine } from './engine.ts';
import { lockFolder } from './lock.ts';
import type { Ask, Query } from './sql.ts';

/**
 * The bot's database, opened while the server starts. A call waits 2 s for it to open. It then waits 2 s
 * for a server's answer, or 5 s for the embedded database's, and throws. The database may still do what it was asked.
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
  /** Lets running jobs end for at most `withinMs`, then closes. A database that hangs is left, or ended, after 3 s more. */
  close(withinMs: number): Promise<void>;
};

/** The pauses between tries to open. An embedded database that cannot make its files tries for seconds. */
const REOPEN_SERVER = { firstMs: 2000, mostMs: 2000 };
const REOPEN_EMBEDDED = { firstMs: 2000, mostMs: 30_000 };

const WAIT_FOR_OPENING_MS = 2000; // The message extension must answer within 5 s.
const WAIT_FOR_SERVER_MS = 2000;
/** A call may wait behind hundreds of others; a turn of 8 s still ends before the channel repeats at 15 s. */
const WAIT_FOR_EMBEDDED_MS = 5000;

/**
 * Creates a store that is not open yet; claims the embedded database's folder at once.
 * @throws FolderInUseError
 */
export async function createStore(database: DatabaseSettings, options: EngineOptions): Promise<Store> {
  const lock = 'directory' in database ? await claim(database.directory) : undefined;
  const pauses = 'url' in database ? REOPEN_SERVER : REOPEN_EMBEDDED;
  const stopping = new AbortController();
  let opening: Promise<void> | undefined;
  let fault: string | undefined;
  let engine: Engine | undefined;
  const { promise: opened, resolve: setOpened } = Promise.withResolvers<Engine>();

  async function keepOpening(): Promise<void> {
    for (let failures = 0; engine === undefined && !stopping.signal.aborted; failures++) {
      try {
        engine = await openEngine(database, options, stopping.signal);
        fault = undefined;
        setOpened(engine);
      } catch (error) {
        if (stopping.signal.aborted) return;
        options.onError(error);
        fault = 'cannot be opened';
        await pause(backoffMs(failures, pauses), stopping.signal);
      }
    }
  }

  function beginOpening(): void {
    opening ??= keepOpening().catch(options.onError);
  }

  const ask: Ask = async (question) => {
    beginOpening();
    if (engine === undefined && fault !== undefined) throw new StoreClosedError(`the database ${fault}`);
    const { boss } = engine ?? (await within(WAIT_FOR_OPENING_MS, opened, 'the database is not open'));
    const answer = question(boss).catch((error: unknown) => {
      throw isAway(error) ? new StoreClosedError('the database cannot be reached', { cause: error }) : error;
    });
    const waitMs = 'url' in database ? WAIT_FOR_SERVER_MS : WAIT_FOR_EMBEDDED_MS;
    return within(waitMs, answer, 'the database does not answer');
  };

  const query: Query = async (sql, values = []) =>
    (await ask((boss) => boss.getDb().executeSql(sql, [...values]))).rows;

  return {
    query,
    ask,
    open: beginOpening,
    state: async () => (engine === undefined ? (fault ?? 'opening') : stateOf(query, options)),
    async close(withinMs) {
      if (engine === undefined) stopping.abort();
      if (lock) await opening; // An embedded database writes until its opening has ended.
      await engine?.close(withinMs).catch(options.onError);
      lock?.release();
    },
  };
}

async function stateOf(query: Query, { onError }: EngineOptions): Promise<string> {
  try {
    await query('select 1');
    return 'ok';
  } catch (error) {
    onError(error);
    return 'does not answer';
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

/** Ends early if the signal does. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {}); // Nothing but the signal rejects it.
}
