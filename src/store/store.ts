import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Secret } from '../text/secret.ts';
import { backoffMs } from '../time/backoff.ts';
import { StoreClosedError, within } from './closed.ts';
import { startSweeping } from './done-jobs.ts';
import { startWaking } from './due-jobs.ts';
import { lockFolder } from './lock.ts';
import { migrate } from './migrations.ts';

export { StoreClosedError } from './closed.ts';

export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

export type Ask = <Result>(question: (boss: PgBoss) => Promise<Result>) => Promise<Result>;

/** A server by its address, or the folder of the embedded database. */
export type DatabaseSettings = { url: Secret } | { directory: string };

/**
 * The database behind the bot, opened beside the server's start. A call waits 2 s for it to open. It then waits 2 s for a
 * server's answer, or 5 s for the embedded database's, and throws; what it asked may still be done.
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
  /** Lets running jobs end, for at most this long, and closes; a database that hangs is left or ended after 3 s more. */
  close(withinMs: number): Promise<void>;
};

export type StoreOptions = {
  /** Told of every fault of the database; never thrown where nobody could catch it. */
  onError(error: unknown): void;
  /** Called once, when the engine runs; jobs are taken from then on. */
  onOpen(boss: PgBoss): Promise<void>;
};

/** The pauses between tries to open it. An embedded database that cannot make its files tries for seconds of work. */
const REOPEN_SERVER = { firstMs: 2000, mostMs: 2000 };
const REOPEN_EMBEDDED = { firstMs: 2000, mostMs: 30_000 };

const WAIT_FOR_OPENING_MS = 2000; // Of the time that an answer has: 5 s in the message extension.
const WAIT_FOR_SERVER_MS = 2000;
/** Long enough for a call to wait behind hundreds of others; a turn of 8 s still ends before the channel repeats at 15 s. */
const WAIT_FOR_EMBEDDED_MS = 5000;
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
    const pauses = 'url' in database ? REOPEN_SERVER : REOPEN_EMBEDDED;
    for (let failures = 0; engine === undefined && !closing; failures++) {
      try {
        engine = await openEngine(database, options);
        fault = undefined;
        setOpened(engine);
      } catch (error) {
        options.onError(error);
        fault = 'cannot be opened';
        await delay(backoffMs(failures, pauses), undefined, { ref: false });
      }
    }
    if (!closing) return;
    await engine?.close(0).catch(options.onError);
    lock?.release();
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
    const waitMs = 'url' in database ? WAIT_FOR_SERVER_MS : WAIT_FOR_EMBEDDED_MS;
    return within(waitMs, question(boss), 'the database does not answer');
  }

  const query: Query = async (sql, values = []) =>
    (await ask((boss) => boss.getDb().executeSql(sql, [...values]))).rows;

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
      await engine?.close(withinMs).catch(options.onError);
      if (engine !== undefined || !hasBegun) lock?.release(); // An opening under way still writes, and lets go at its end.
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
      const idle = Promise.all([
        sweeping.stop(),
        waking.stop(),
        boss.stop({ graceful: true, timeout: withinMs }),
      ]);
      await within(withinMs + WAIT_FOR_CLOSING_MS, idle, 'the database could not be closed').catch(onError);
      await close();
    },
  };
}
