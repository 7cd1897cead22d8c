import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../app/clock.ts';
import type { Secret } from '../domain/secret.ts';
import { isAway, StoreClosedError, within } from './away.ts';
import { createContact } from './contact.ts';
import { type Dialect, type Engine, POSTGRES, type Query, SQLITE } from './dialect.ts';
import { LastingFaultError, lastingFaultOf } from './lasting-fault.ts';
import { openPostgres } from './postgres.ts';
import { claimFolder, openSqlite } from './sqlite.ts';

/** A server by its address, or the folder of the embedded database. */
export type DatabaseSettings = { url: Secret } | { directory: string };

/** The way to a database, and the words of its SQL. */
export type Queryable = { query: Query; dialect: Dialect };

/** A database that may be away, now or from the beginning. */
export type Connection = Queryable & {
  /** Opens a server's database; tries again until the server is there. @throws LastingFaultError */
  open(): Promise<void>;
  /** `ok`, or why the database does not work now. */
  state(): string;
  /** Finds out whether a database that was lost takes changes again. Throws what `query` throws. */
  probe(): Promise<void>;
  close(): Promise<void>;
};

export type ConnectionOptions = {
  /** Called once when the database goes or cannot be opened, with the reason; again if the reason is then one that lasts. */
  onLost(reason: string): void;
  /** Called once when the database is back, or is open at last. */
  onBack(awayMs: number): void;
  /** Called with the queue of a job that another process may have put. */
  onNotice(queue: string): void;
  /** Told how long each change took (milliseconds). */
  onCommit(ms: number): void;
  /** Receives errors that nobody can catch. */
  onError(error: unknown): void;
  /** The embedded database's clock, and the measure of how long calls take (milliseconds); never set back. */
  clock?: (() => number) | undefined;
};

const OPEN_AGAIN_MS = 2000;
const WAIT_FOR_OPENING_MS = 2000; // The message extension must answer within 5 s.
const WAIT_FOR_SERVER_MS = 2000;

/**
 * Connects to a database. Claims an embedded one's folder, and opens it at once if that can be.
 * @throws FolderInUseError, LastingFaultError, an error of the file system
 */
export async function connect(database: DatabaseSettings, options: ConnectionOptions): Promise<Connection> {
  const { clock = systemClock.steady, onError } = options;
  const isServer = 'url' in database;
  const lock = isServer ? undefined : claimFolder(database.directory);
  const dialect = isServer ? POSTGRES : SQLITE;
  const contact = createContact({ ...options, clock });
  const stopping = new AbortController();
  const opened = Promise.withResolvers<Engine>();
  let engine: Engine | undefined;
  let fault: string | undefined;

  async function tryToOpen(): Promise<void> {
    try {
      engine = isServer
        ? await openPostgres(database.url, { ...options, clock })
        : openSqlite(database.directory, { ...options, clock });
      contact.gain();
      opened.resolve(engine);
    } catch (error) {
      const lasting = lastingFaultOf(error);
      if (lasting !== undefined) throw new LastingFaultError(lasting, { cause: error });
      fault = 'cannot be opened';
      if (!isAway(error)) onError(error);
      contact.lose(error);
    }
  }

  const ask: Query = async (sql, values) => {
    if (engine === undefined && fault !== undefined) throw new StoreClosedError(`the database ${fault}`);
    const { query } =
      engine ?? (await within(WAIT_FOR_OPENING_MS, opened.promise, 'the database is not open'));
    const answer = query<never>(sql, values);
    return isServer ? within(WAIT_FOR_SERVER_MS, answer, 'the database does not answer') : answer;
  };

  if (!isServer)
    await tryToOpen().catch((error) => {
      lock?.release();
      throw error;
    });

  return {
    query: (sql, values) => contact.call(() => ask(sql, values)),
    dialect,
    async open() {
      while (engine === undefined && !stopping.signal.aborted) {
        await tryToOpen();
        if (engine === undefined) await pause(OPEN_AGAIN_MS, stopping.signal);
      }
    },
    state: () => (engine === undefined ? (fault ?? 'opening') : contact.state()),
    async probe() {
      const data = randomBytes(PROBE_BYTES).toString('base64');
      await contact.call(() => ask(probeOf(dialect), [data]));
      contact.gain();
    },
    async close() {
      stopping.abort();
      await engine?.close().catch(onError);
      lock?.release();
    },
  };
}

/** As large as a large job, so that a full disk has no place for it either. */
const PROBE_BYTES = 6000;

const probeOf = ({ kept, now }: Dialect) => `insert into ${kept} (kind, key, data, at, until)
  values ('probe', '', $1, ${now}, ${now})
  on conflict (kind, key) do update set data = excluded.data, at = excluded.at, until = excluded.until`;

/** Ends early if the signal does. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => {}); // Nothing but the signal rejects it.
}
