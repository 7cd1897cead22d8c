import { existsSync } from 'node:fs';
import { inspect } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { makeFiles } from './new-files.ts';

/** What the thread is asked: one request at a time, and each gets one answer. */
export type Request =
  /** Opens the files in a folder. If it is missing, it is made, whole or not at all. */
  | { kind: 'open'; folder: string }
  /** One statement with its values, or several without: a string with its own `begin` and `commit` stays whole. */
  | { kind: 'run'; sql: string; values: unknown[] | undefined }
  /** Writes everything out and closes the files. */
  | { kind: 'close' };

/** What is known of a failure, and nothing else: a statement's values stay out of logs. */
export type Fault = { message: string; severity: string | undefined; code: string | undefined };

export type Answer =
  | { kind: 'rows'; rows: unknown[] }
  /** The database refused the statement and goes on. */
  | { kind: 'refused'; fault: Fault }
  /** The database cannot go on: the thread must be ended. */
  | { kind: 'broken'; fault: Fault };

/** Small buffers, for one process and a team: about 110 MB of memory instead of 270. */
const START_PARAMETERS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'];

/** Postgres itself ends its process with these, since its memory may no longer agree with its files. */
const DEADLY: ReadonlySet<unknown> = new Set(['PANIC', 'FATAL']);

if (parentPort === null) throw new Error('the embedded database runs in a worker thread');
const port = parentPort;

let database: PGlite | undefined;
port.on('message', async (request: Request) => port.postMessage(await answer(request)));

async function answer(request: Request): Promise<Answer> {
  try {
    return { kind: 'rows', rows: await rowsOf(request) };
  } catch (error) {
    const fault = faultOf(error);
    const goesOn = !DEADLY.has(fault.severity) && (await endTransaction());
    return { kind: goesOn ? 'refused' : 'broken', fault };
  }
}

async function rowsOf(request: Request): Promise<unknown[]> {
  switch (request.kind) {
    case 'open':
      if (!existsSync(request.folder)) await makeFiles(request.folder);
      database = await PGlite.create(request.folder, { startParams: START_PARAMETERS });
      return [];
    case 'run':
      return run(opened(), request.sql, request.values);
    case 'close':
      await opened().close();
      return [];
  }
}

function opened(): PGlite {
  if (database === undefined) throw new Error('no files are open');
  return database;
}

/** As pg-boss's `fromPglite` does it: several statements go through `exec`, which takes no values. */
async function run(to: PGlite, sql: string, values: unknown[] | undefined): Promise<unknown[]> {
  if (values?.length) return (await to.query(sql, values)).rows;
  return (await to.exec(sql)).flatMap(({ rows }) => rows);
}

/** Ends what a failed string of statements has begun, or the next one would fail too. Tells whether that worked. */
async function endTransaction(): Promise<boolean> {
  try {
    await opened().exec('rollback');
    return true;
  } catch {
    return false; // The first failure says why.
  }
}

function faultOf(error: unknown): Fault {
  const { severity, code } = error as { severity?: string; code?: string };
  return { message: error instanceof Error ? error.message : inspect(error), severity, code };
}
