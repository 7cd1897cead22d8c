import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Secret } from '../text/secret.ts';
import { startSweeping } from './done-jobs.ts';
import { startWaking } from './due-jobs.ts';
import { lockFolder } from './lock.ts';
import { migrate } from './migrations.ts';
import type { Query } from './sql.ts';

export type Ask = <Result>(question: (boss: PgBoss) => Promise<Result>) => Promise<Result>;

/** A server by its address, or the folder of the embedded database. */
export type DatabaseSettings = { url: Secret } | { directory: string };

/** The database has not been opened yet, cannot be, or does not answer. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError';
}

/**
 * The database behind the bot, opened beside the server's start. A call waits 2 s for it to open, and 2 s for a server's answer,
 * and then throws; a server that hangs may still do what it was asked.
 */
export type Store = {
  /** Throws what the database throws, or StoreClosedError. */
  query: Query;
  /** Asks the queues' engine. Throws what it throws, or StoreClosedError. */
  ask: Ask;
  /** Begins to open it in the background, if the first call has not; a server that is away is tried again until it is there. */
  open(): void;
  /** `ok`, `opening`, or why it does not work now. */
  state(): Promise<string>;
  /** Lets running jobs end, for at most this long, and closes; a server that hangs is left after a second more. */
  close(withinMs: number): Promise<void>;
};

export type StoreOptions = {
  /** Told of every fault of the database; never thrown where nobody could catch it. */
  onError(error: unknown): void;
  /** Called once, when the engine runs; jobs are taken from then on. */
  onOpen(boss: PgBoss): Promise<void>;
};

const RETRY_OPENING_MS = 2000;
const WAIT_FOR_OPENING_MS = 2000; // Of the time that an answer has: 5 s in the message extension.
const WAIT_FOR_ANSWER_MS = 2000;
const WAIT_FOR_CLOSING_MS = 1000;

/** When the pool gives up a connection that hangs. Longer than a call waits, since making the tables takes longer. */
const CONNECTION_HANGS_MS = 10_000;

/**
 * A store that is not open yet; the embedded database's folder is claimed at once.
 * @throws FolderInUseError
 */
export async function createStore(database: DatabaseSettings, options: StoreOptions): Promise<Store> {
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
    if (hasBegun) return;
    hasBegun = true;
    keepOpening().catch(options.onError);
  }

  async function ask<Result>(question: (boss: PgBoss) => Promise<Result>): Promise<Result> {
    beginOpening();
    if (engine === undefined && fault !== undefined) throw new StoreClosedError(`the database ${fault}`);
    const { boss } = engine ?? (await within(WAIT_FOR_OPENING_MS, opened, 'the database is not open'));
    const answer = question(boss);
    // The embedded one runs in this process: it can be slow, but not hang.
    return 'url' in database ? within(WAIT_FOR_ANSWER_MS, answer, 'the database does not answer') : answer;
  }

  const query: Query = async (sql, values = []) =>
    (await ask((boss) => boss.getDb().executeSql(sql, [...values]))).rows;

  async function closeEngine(withinMs: number): Promise<void> {
    await engine?.close(withinMs);
  }

  return {
    query,
    ask,
    open: beginOpening,
    async state() {
      if (engine === undefined) return fault ?? 'opening';
      try {
        await query('select 1');
        return 'ok';
      } catch (error) {
        options.onError(error);
        return 'does not answer';
      }
    },
    async close(withinMs) {
      closing = true;
      await within(
        withinMs + WAIT_FOR_CLOSING_MS,
        closeEngine(withinMs),
        'the database could not be closed',
      ).catch(options.onError);
      lock?.release();
    },
  };
}

type Engine = { boss: PgBoss; close(withinMs: number): Promise<void> };

/** Only the owner may read what is in the folder. */
function claim(directory: string) {
  process.umask(0o077); // PGlite makes its files for everyone.
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return lockFolder(directory);
}

/** pg-boss hands them to its `pg.Pool`, with those that its types do not name. */
function poolOptions(url: Secret) {
  return {
    connectionString: url.reveal(),
    max: 10,
    connectionTimeoutMillis: CONNECTION_HANGS_MS,
    query_timeout: CONNECTION_HANGS_MS,
  };
}

/** pg-boss and its drivers are read into memory here, which nobody has to wait for who only looks up a device. */
async function openEngine(database: DatabaseSettings, { onError, onOpen }: StoreOptions): Promise<Engine> {
  const { PgBoss } = await import('pg-boss');
  const { bossOptions, close } =
    'url' in database
      ? { bossOptions: poolOptions(database.url), close: async () => {} }
      : await (await import('./embedded.ts')).openEmbedded(database.directory);
  const boss = new PgBoss({
    ...bossOptions,
    application_name: 'nac-lookup-bot',
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: 3,
    monitorIntervalSeconds: 3,
    maintenanceIntervalSeconds: 60,
  });
  boss.on('error', onError);
  const query: Query = async (sql, values = []) => (await boss.getDb().executeSql(sql, [...values])).rows;
  try {
    await boss.start();
    await migrate(query);
    await onOpen(boss);
  } catch (error) {
    // Half open is not open: the next try must find nothing of this one.
    await boss.stop({ graceful: false }).catch(onError);
    await close();
    throw error;
  }
  const sweeping = startSweeping({ query, hasAutovacuum: 'url' in database, onError });
  const waking = startWaking({ boss, query, onError });
  return {
    boss,
    async close(withinMs) {
      await Promise.all([sweeping.stop(), waking.stop(), boss.stop({ graceful: true, timeout: withinMs })]);
      await close();
    },
  };
}

/** What a task gives; where it takes longer, it goes on, but nobody waits for it. @throws StoreClosedError then */
async function within<Result>(ms: number, task: Promise<Result>, otherwise: string): Promise<Result> {
  const { promise: tooLong, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new StoreClosedError(otherwise)), ms);
  try {
    return await Promise.race([task, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
