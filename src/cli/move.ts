import { resolve } from 'node:path';
import { readDatabaseSettings } from '../settings/database-settings.ts';
import { startFault } from '../start-fault.ts';
import { isAway, isRefusal, wordsOf } from '../store/away.ts';
import type { DatabaseSettings } from '../store/engine.ts';
import { LastingFaultError, lastingFaultOf } from '../store/lasting-fault.ts';
import { FolderInUseError } from '../store/lock.ts';
import { MoveError } from '../store/moving/error.ts';
import type { RowCounts } from '../store/moving/file.ts';

/**
 * Runs `npm run export -- FILE` or `npm run import -- FILE` with the present settings of the database; no others are needed.
 * Says on stdout how much was moved. If nothing was: one sentence on stderr, and exit code 1, or 2 for a wrong setting.
 */
export async function runMove(
  verb: 'export' | 'import',
  move: (path: string, database: DatabaseSettings) => Promise<RowCounts>,
): Promise<void> {
  const [name, ...others] = process.argv.slice(2);
  if (name === undefined || others.length > 0) return fail(1, `Name one file: npm run ${verb} -- FILE`);
  const read = readDatabaseSettings(process.env);
  if ('problems' in read)
    return fail(2, read.problems.map((problem) => `${problem.name} ${problem.message}`).join('\n'));
  const path = resolve(name);
  try {
    const counts = await move(path, read.settings);
    process.stdout.write(`${DONE[verb]} ${path}: ${sayCounts(counts)}.\n`);
  } catch (error) {
    const { code, reason } = reasonFor(error);
    fail(code, `The ${verb} failed: ${reason}.`);
  }
}

const DONE = { export: 'Exported to', import: 'Imported from' };

const WORDS: Readonly<Record<keyof RowCounts, string>> = {
  thread: 'names of threads',
  autoreply: 'autoreplies',
  welcome: 'welcomes',
  personal_chat: 'personal chats',
  incident: 'incidents',
  sealed_credential: 'kept sign-ins',
  job: 'unfinished and dead jobs',
  job_key: 'done jobs',
};

function sayCounts(counts: RowCounts): string {
  return Object.entries(WORDS)
    .map(([table, words]) => `${words} ${counts[table as keyof RowCounts]}`)
    .join(', ');
}

/** Why nothing was moved. Throws the error if it is a bug. */
function reasonFor(error: unknown): { code: 1 | 2; reason: string } {
  if (error instanceof MoveError) return { code: 1, reason: error.message };
  if (error instanceof FolderInUseError)
    return { code: 1, reason: 'a bot uses the folder in DATA_DIR: stop that bot first' };
  const lasting = lastingFaultOf(error);
  const fault = startFault(lasting === undefined ? error : new LastingFaultError(lasting));
  if (fault !== undefined) return { code: 2, reason: fault };
  if (isAway(error)) return { code: 1, reason: `the database cannot be reached (${wordsOf(error)})` };
  if (isRefusal(error)) return { code: 1, reason: `the database refused a row (${wordsOf(error)})` };
  throw error;
}

function fail(code: 1 | 2, reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exitCode = code;
}
