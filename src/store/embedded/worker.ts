import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

/** What the thread is asked: one request at a time, and each gets one answer. */
export type Request =
  /** One statement with its values, or several without: a string with its own `begin` and `commit` stays whole. */
  | { kind: 'run'; sql: string; values: unknown[] | undefined }
  /** Writes everything out and closes the files. */
  | { kind: 'close' };

/** What is known of a failure, and nothing else: a statement's values stay out of logs. */
export type Fault = { message: string; severity: string | undefined; code: string | undefined };

/** The first answer comes without a request, once the files are open. */
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
const post = (answer: Answer) => port.postMessage(answer);

// A failure to open ends the thread; whoever started it is told by its `error` event.
const database = await PGlite.create(String(workerData), { startParams: START_PARAMETERS });
port.on('message', async (request: Request) => post(await answer(request)));
post({ kind: 'rows', rows: [] });

async function answer(request: Request): Promise<Answer> {
  try {
    switch (request.kind) {
      case 'run':
        return { kind: 'rows', rows: await run(request.sql, request.values) };
      case 'close':
        await database.close();
        return { kind: 'rows', rows: [] };
    }
  } catch (error) {
    const fault = faultOf(error);
    const goesOn = !DEADLY.has(fault.severity) && (await endTransaction());
    return { kind: goesOn ? 'refused' : 'broken', fault };
  }
}

/** As pg-boss's `fromPglite` does it: several statements go through `exec`, which takes no values. */
async function run(sql: string, values: unknown[] | undefined): Promise<unknown[]> {
  if (values?.length) return (await database.query(sql, values)).rows;
  return (await database.exec(sql)).flatMap(({ rows }) => rows);
}

/** Ends what a failed string of statements has begun, or the next one would fail too. Tells whether that worked. */
async function endTransaction(): Promise<boolean> {
  try {
    await database.exec('rollback');
    return true;
  } catch {
    return false; // The first failure says why.
  }
}

function faultOf(error: unknown): Fault {
  const { severity, code } = error as { severity?: string; code?: string };
  return { message: error instanceof Error ? error.message : String(error), severity, code };
}
