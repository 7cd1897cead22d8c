import { resolve } from 'node:path';
import pg from 'pg';
import { EmbeddedThread } from '../embedded/thread.ts';
import { filesIn, isNew } from '../embedded.ts';
import type { DatabaseSettings } from '../engine.ts';
import { LastingFaultError, lastingFaultOf } from '../lasting-fault.ts';
import type { Query } from '../sql.ts';
import { claimFolder } from '../store.ts';
import { MoveError } from './error.ts';

/**
 * One session with a database, without the queues' engine, which would send statements of its own into a transaction.
 * After an error nothing but `close` may be called. What is not committed then is undone.
 */
export type Session = { query: Query; close(): Promise<void> };

const CONNECTION_HANGS_MS = 10_000;

/** Whether there is a database to open. A server's shows itself only when it is opened. */
export function hasFiles(database: DatabaseSettings): boolean {
  return 'url' in database || !isNew(database.directory);
}

/**
 * Opens a session with a database that is there.
 * @throws MoveError if the embedded database has no files, FolderInUseError, LastingFaultError, StoreClosedError, and what
 * the driver throws
 */
export async function openSession(database: DatabaseSettings): Promise<Session> {
  if ('url' in database) return openServer(database.url.reveal());
  if (!hasFiles(database))
    throw new MoveError(`there is no database in ${resolve(database.directory)} (DATA_DIR)`);
  return openFiles(database.directory);
}

async function openServer(connectionString: string): Promise<Session> {
  const client = await connect(connectionString);
  client.on('error', () => {}); // A lost connection: the next statement fails too, and says why.
  return {
    query: async (sql, values = []) => (await client.query(sql, [...values])).rows,
    close: () => client.end(),
  };
}

async function connect(connectionString: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: CONNECTION_HANGS_MS,
      application_name: 'nac-lookup-bot moving',
    });
    await client.connect();
    return client;
  } catch (error) {
    const fault = lastingFaultOf(error);
    throw fault === undefined ? error : new LastingFaultError(fault, { cause: error });
  }
}

async function openFiles(directory: string): Promise<Session> {
  const lock = await claimFolder(directory);
  const thread = new EmbeddedThread();
  const end = async () => {
    await thread.end();
    lock.release();
  };
  try {
    await thread.open(filesIn(directory));
  } catch (error) {
    await end();
    throw error;
  }
  return {
    query: async <Row>(sql: string, values: readonly unknown[] = []) =>
      (await thread.run(sql, [...values])) as Row[],
    async close() {
      try {
        if (thread.state === 'up') await thread.close();
      } finally {
        await end();
      }
    },
  };
}
