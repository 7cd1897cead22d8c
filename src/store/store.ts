import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../time/backoff.ts';
import { isAway, wordsOf } from './away.ts';
import { StoreClosedError, within } from './closed.ts';
import { type Contact, createContact } from './contact.ts';
import { filesIn } from './embedded.ts';
import { type DatabaseSettings, type Engine, type EngineOptions, openEngine } from './engine.ts';
import { checkFiles, LastingFaultError, lastingFaultOf } from './lasting-fault.ts';
import { lockFolder } from './lock.ts';
import type { Ask, Query } from './sql.ts';

/**
 * The bot's database, opened while the server starts. A call waits 2 s for it to open. It then waits 2 s
 * for a server's answer, or 5 s for the embedded database's, and throws. The database may still do what it was asked.
 */
export type Store = {
  /** Throws what the database throws, or StoreClosedError while it is away. */
  query: Query;
  /** Asks the queues' engine. Throws what the engine throws, or StoreClosedError while the database is away. */
  ask: Ask;
  /** Begins to open the database in the background, if no call has yet. Retries until the server is there. */
  open(): void;
  /** `ok`, `opening`, or why the database does not work now, as the latest calls found it. Calls come at least each second. */
  state(): string;
  /** Takes no more jobs, and lets those under way end for at most `withinMs`. The rest goes back. */
  endJobs(withinMs: number): Promise<void>;
  /** Like `endJobs`, then closes. A database that hangs is left, or ended, after 3 s more. */
  close(withinMs: number): Promise<void>;
};

export type StoreOptions = Omit<EngineOptions, 'contact'> & {
  /**
   * Called once when the database goes or cannot be opened, with the reason; again if the reason is then one that lasts.
   * Nothing else is told of an outage.
   */
  onLost?(reason: string): void;
  /** Called once when the database is back; not for the first opening. */
  onBack?(awayMs: number): void;
  /** Called if the database will not open however long the bot waits; it is not tried again. */
  onLastingFault?(error: LastingFaultError): void;
};

/** The pauses between tries to open. A full disk or a missing right of an embedded database takes somebody's hand. */
const REOPEN_SERVER = { firstMs: 2000, mostMs: 2000 };
const REOPEN_EMBEDDED = { firstMs: 2000, mostMs: 30_000 };

const WAIT_FOR_OPENING_MS = 2000; // The message extension must answer within 5 s.
const WAIT_FOR_SERVER_MS = 2000;
/** A call may wait behind hundreds of others; a turn of 8 s still ends before the channel repeats at 15 s. */
const WAIT_FOR_EMBEDDED_MS = 5000;

/**
 * Creates a store that is not open yet; claims the embedded database's folder at once.
 * @throws FolderInUseError, LastingFaultError for files that the embedded database cannot use
 */
export async function createStore(database: DatabaseSettings, options: StoreOptions): Promise<Store> {
  const lock = 'directory' in database ? await claimFolder(database.directory) : undefined;
  const pauses = 'url' in database ? REOPEN_SERVER : REOPEN_EMBEDDED;
  const stopping = new AbortController();
  let opening: Promise<void> | undefined;
  let fault: string | undefined;
  let engine: Engine | undefined;
  const { promise: opened, resolve: setOpened } = Promise.withResolvers<Engine>();
  const contact = openContact(database, options, () => engine !== undefined);
  const onError = (error: unknown) => {
    if (!isAway(error)) options.onError(error);
  };
  const onFailedOpening = onceInARow(onError);

  /** Returns false if another try is of no use. */
  async function tryToOpen(): Promise<boolean> {
    try {
      engine = await openEngine(database, { ...options, onError, contact }, stopping.signal);
      fault = undefined;
      contact.gain();
      setOpened(engine);
    } catch (error) {
      if (stopping.signal.aborted) return false;
      fault = 'cannot be opened';
      const lasting = 'url' in database ? lastingFaultOf(error) : undefined;
      if (lasting !== undefined) {
        (options.onLastingFault ?? options.onError)(new LastingFaultError(lasting, { cause: error }));
        return false;
      }
      onFailedOpening(error);
      contact.lose(error);
    }
    return true;
  }

  async function keepOpening(): Promise<void> {
    for (let failures = 0; engine === undefined && !stopping.signal.aborted; failures++) {
      if (!(await tryToOpen())) return;
      if (engine === undefined) await pause(backoffMs(failures, pauses), stopping.signal);
    }
  }

  function beginOpening(): void {
    opening ??= keepOpening().catch(onError);
  }

  const ask: Ask = async (question) => {
    beginOpening();
    if (engine === undefined && fault !== undefined) throw new StoreClosedError(`the database ${fault}`);
    const { boss } = engine ?? (await within(WAIT_FOR_OPENING_MS, opened, 'the database is not open'));
    return contact.callInTime(() => question(boss));
  };

  const query: Query = async (sql, values = []) =>
    (await ask((boss) => boss.getDb().executeSql(sql, [...values]))).rows;

  return {
    query,
    ask,
    open: beginOpening,
    state() {
      if (engine === undefined) return fault ?? 'opening';
      return contact.isLost() ? 'does not answer' : 'ok';
    },
    async endJobs(withinMs) {
      await engine?.endJobs(withinMs);
    },
    async close(withinMs) {
      if (engine === undefined) stopping.abort();
      if (lock) await opening; // An embedded database writes until its opening has ended.
      await engine?.close(withinMs).catch(onError);
      lock?.release();
    },
  };
}

/** Passes an error on unless it reads like the one before. */
function onceInARow(onError: (error: unknown) => void): (error: unknown) => void {
  let told: string | undefined;
  return (error) => {
    if (wordsOf(error) !== told) onError(error);
    told = wordsOf(error);
  };
}

function openContact(
  database: DatabaseSettings,
  { onLost = () => {}, onBack = () => {} }: StoreOptions,
  isOpen: () => boolean,
): Contact {
  return createContact({
    waitMs: 'url' in database ? WAIT_FOR_SERVER_MS : WAIT_FOR_EMBEDDED_MS,
    onLost,
    onBack(awayMs) {
      if (isOpen()) onBack(awayMs); // The opening itself is told.
    },
  });
}

/**
 * Claims a folder for this process; makes the folder if it is missing. Only its owner may read what is in it.
 * @throws FolderInUseError, LastingFaultError for files that the embedded database cannot use
 */
export function claimFolder(directory: string): Promise<{ release(): void }> {
  process.umask(0o077); // PGlite creates files that everyone can read.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  checkFiles(filesIn(directory));
  return lockFolder(directory);
}

/** Ends early if the signal does. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {}); // Nothing but the signal rejects it.
}
