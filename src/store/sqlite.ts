import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Clock } from '../domain/timing.ts';
import { type Engine, FILE_TABLES, TABLES_VERSION, toFile, type Value } from './dialect.ts';
import { errorCode, LastingFaultError, StoreClosedError } from './faults.ts';

export const fileIn = (directory: string) => join(directory, 'nac-lookup-bot.db');

/** @throws LastingFaultError if release 0.1.0 has its database in a folder */
export function refuseOld(directory: string): void {
  if (existsSync(join(directory, 'postgres'))) throw new LastingFaultError('folder of 0.1.0');
}

/** Claims a folder for this process; makes it and its file, for their owner alone, if they are missing. @throws as {@link lockFolder} */
export function claimFolder(directory: string) {
  refuseOld(directory);
  makeFolder(directory);
  makePrivateFile(fileIn(directory));
  return lockFolder(directory);
}

/** Node's own recursive one never ends where the system answers ENOENT to a new folder (`/proc`, an automounter). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error; // Another process has made it, or it is a link to nothing.
  }
}

/** Whether no page of a database is damaged. Reads all of it. */
export const isWhole = (file: DatabaseSync) =>
  file.prepare('pragma quick_check(1)').get()?.quick_check === 'ok';

/**
 * Locks an empty SQLite file in a folder, Node's only way to a kernel lock. The kernel releases it when the process ends,
 * however it ends. It works across containers that share the folder; process ids would not. Keep the returned object, whose
 * disposal releases the lock: so does its end as garbage. @throws LastingFaultError, an error of the file system, or SQLite's
 */
export function lockFolder(folder: string): Disposable {
  const path = join(folder, 'lock');
  makePrivateFile(path);
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    // The transaction never ends: an open write is the lock. (With `exclusive`, or with a journal that a killed owner left
    // to roll back, all processes that try at once may fail.)
    file.exec('pragma journal_mode = memory; begin immediate');
  } catch (error) {
    file.close();
    throw errorCode(error) === 'SQLITE_5' ? new LastingFaultError('folder in use') : error;
  }
  return file;
}

/** SQLite itself would make a file that everyone can read. */
const makePrivateFile = (path: string) => closeSync(openSync(path, 'a', 0o600));

/**
 * Opens the database in a folder that this process has claimed, and makes its tables if they are missing. Acknowledged changes
 * outlive a killed process and a power cut. Its clock begins at the wall clock's time. @throws LastingFaultError, SQLite's errors
 */
export function openSqlite(directory: string, { now, steady }: Clock): Engine {
  const file = new DatabaseSync(fileIn(directory), { timeout: 100 });
  try {
    file.exec('pragma journal_mode = wal; pragma synchronous = full; pragma fullfsync = on');
    const version = readVersion(file);
    if (version > TABLES_VERSION) throw new LastingFaultError('newer release');
    if (version < TABLES_VERSION) file.exec(`begin immediate;\n${FILE_TABLES};\ncommit`);
    // A done job's `at` lies ahead while the job is kept for longer; its `due` does not.
    const newest = 'select min(at, due) as at from job order by seq desc limit 1';
    const last = Number(file.prepare(newest).get()?.at ?? 0);
    const ahead = Math.max(last, now()) - steady(); // A clock that was set back between two runs goes on where it was.
    file.function('now_ms', () => Math.floor(ahead + steady()));
    // An open lease belongs to a crashed process.
    file.exec(`update job set lease = null, lease_until = null, deaths = deaths + 1
      where state = 'open' and lease is not null`);
  } catch (error) {
    file.close();
    throw error;
  }
  return groupCalls(file);
}

/** Returns the version of the tables in a file; 0 for an empty file. */
export function readVersion(file: DatabaseSync): number {
  const isMade = file.prepare("select 1 from sqlite_schema where name = 'meta'").get() !== undefined;
  return isMade ? Number(file.prepare('select version from meta').get()?.version) : 0;
}

type Call = PromiseWithResolvers<unknown[]> & { sql: string; values: readonly Value[] };

/**
 * Runs the calls of one turn of the event loop in one transaction, because each transaction waits for the disk. Nobody is
 * answered before the commit. SQLite undoes a statement that fails alone, so that it does not hurt its neighbours.
 */
function groupCalls(file: DatabaseSync): Engine {
  const prepared = new Map<string, StatementSync>();
  let waiting: Call[] = [];
  function runWaiting(): void {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return; // The close ran it.
    try {
      file.exec('begin');
      const answers = group.map((call) => run(call, file, prepared));
      file.exec('commit');
      for (const answer of answers) answer();
    } catch (error) {
      if (file.isTransaction) file.exec('rollback');
      for (const { reject } of group) reject(error);
    }
  }
  return {
    async query<Row>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
      if (!file.isOpen) throw new StoreClosedError('the database is closed');
      const call: Call = { sql, values, ...Promise.withResolvers() };
      if (waiting.push(call) === 1) setImmediate(runWaiting);
      return call.promise as Promise<Row[]>;
    },
    async close(): Promise<void> {
      runWaiting();
      file.close();
    },
  };
}

/** Runs a call in the open transaction. Returns its answer, for after the commit. */
function run(call: Call, file: DatabaseSync, prepared: Map<string, StatementSync>): () => void {
  const { sql, values, resolve, reject } = call;
  const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
  try {
    const statement = prepared.get(sql) ?? file.prepare(toFile(sql));
    prepared.set(sql, statement);
    const rows = statement.all(named);
    return () => resolve(rows);
  } catch (error) {
    if (!file.isTransaction) throw error; // A full disk may undo the whole group.
    return () => reject(error);
  }
}
