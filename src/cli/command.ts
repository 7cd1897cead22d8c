import { startFault } from '../app/start.ts';
import type { Environment } from '../settings/schema.ts';
import { linesOf, readSettingsNamed } from '../settings.ts';
import type { DatabaseSettings } from '../store/dialect.ts';
import { errorCode, isAway, isRefusal, lastingFaultOf, wordsOf } from '../store/faults.ts';

/** The exit code (0: done; 1: not done; 2: wrong settings or arguments) and the text: a result for stdout, or a reason for stderr. */
export type Ending = { code: number; text: string };

/** Undefined: the arguments are wrong. */
type Result = Ending | undefined;
export type Command = (args: readonly string[], environment: Environment) => Result | Promise<Result>;

/** The settings or arguments fit no work; the message gives a person the reason. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Makes the command `NAME FILE` (or `NAME ID`), which needs the settings of the database alone. `work` returns a report. */
export function databaseCommand(
  name: string,
  work: (subject: string, database: DatabaseSettings) => Promise<string>,
): Command {
  return async ([subject, ...others], environment) => {
    if (!subject || subject.startsWith('-') || others.length > 0) return undefined;
    const read = readSettingsNamed(/^(?:DATABASE_URL|DATA_DIR)/, environment);
    if ('problems' in read) return { code: 2, text: linesOf(read.problems) };
    try {
      return { code: 0, text: `${await work(subject, read.settings.database)}\n` };
    } catch (error) {
      const { code, reason } = reasonFor(error);
      return { code, text: `The ${name} failed: ${reason}.\n` };
    }
  };
}

/** Why a command has failed at its database, and its exit code. @throws the error if it is a bug */
export function reasonFor(error: unknown): { code: number; reason: string } {
  if (error instanceof UsageError) return { code: 2, reason: error.message };
  if (errorCode(error)?.startsWith('SQLITE_')) return { code: 1, reason: wordsOf(error) };
  if (lastingFaultOf(error)) return { code: 2, reason: String(startFault(error)) };
  if (isRefusal(error)) return { code: 1, reason: `the database refused it (${wordsOf(error)})` };
  if (isAway(error)) return { code: 1, reason: wordsOf(error) };
  throw error;
}
