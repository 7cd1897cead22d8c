import { resolve } from 'node:path';
import { startFault } from '../app/start-fault.ts';
import { readSettingsNamed } from '../settings.ts';
import type { DatabaseSettings } from '../store/connection.ts';
import { codeOf, isAway, isRefusal, LastingFaultError, lastingFaultOf, wordsOf } from '../store/faults.ts';

/** What a command was asked for cannot be done; says why, for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Does what was asked with a file and the database. @returns what was done, in words */
export type Command = (path: string, database: DatabaseSettings) => Promise<string>;

/**
 * Runs `npm run NAME -- FILE` with the present settings of the database; no others are needed. If nothing was done: one
 * sentence on stderr, and exit code 1, or 2 for a wrong setting.
 */
export async function runCommand(name: string, command: Command): Promise<void> {
  const [file, ...others] = process.argv.slice(2);
  if (file === undefined || others.length > 0) return fail(1, `Name one file: npm run ${name} -- FILE`);
  const read = readSettingsNamed(/^(?:DATABASE_URL|DATA_DIR)/, process.env);
  if ('problems' in read)
    return fail(2, read.problems.map((problem) => `${problem.name} ${problem.message}`).join('\n'));
  try {
    process.stdout.write(`${await command(resolve(file), read.settings.database)}\n`);
  } catch (error) {
    const { code, reason } = reasonFor(error);
    fail(code, `The ${name} failed: ${reason}.`);
  }
}

/** Why nothing was done. Throws the error if it is a bug. */
function reasonFor(error: unknown): { code: 1 | 2; reason: string } {
  if (error instanceof UsageError) return { code: 1, reason: error.message };
  if (codeOf(error)?.startsWith('SQLITE_')) return { code: 1, reason: wordsOf(error) };
  const lasting = lastingFaultOf(error);
  const fault = lasting && startFault(new LastingFaultError(lasting));
  if (fault !== undefined) return { code: 2, reason: fault };
  if (isRefusal(error)) return { code: 1, reason: `the database refused it (${wordsOf(error)})` };
  if (isAway(error)) return { code: 1, reason: wordsOf(error) };
  throw error;
}

function fail(code: 1 | 2, reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exitCode = code;
}
