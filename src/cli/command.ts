import { resolve } from 'node:path';
import { startFault } from '../app/start.ts';
import type { Environment } from '../settings/environment.ts';
import { readSettingsNamed } from '../settings.ts';
import { codeOf, isAway, isRefusal, LastingFaultError, lastingFaultOf, wordsOf } from '../store/faults.ts';
import type { DatabaseSettings } from '../store/store.ts';

/** A command cannot be done; its message gives a person the reason. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Works on the database with a file, or a person's id. @returns a report for people */
export type Command = (subject: string, database: DatabaseSettings) => Promise<string>;

/** Runs `npm run NAME -- FILE` with the settings of the database alone. `said`: the report, or the reason for a failure. */
export async function endingOf(
  name: string,
  command: Command,
  [subject, ...others]: readonly string[],
  environment: Environment,
  what: 'FILE' | 'ID' = 'FILE',
): Promise<{ code: 0 | 1 | 2; said: string }> {
  if (subject === undefined || subject.startsWith('-') || others.length > 0)
    return { code: 1, said: `Name one ${what.toLowerCase()}: npm run ${name} -- ${what}` };
  const read = readSettingsNamed(/^(?:DATABASE_URL|DATA_DIR)/, environment);
  if ('problems' in read)
    return { code: 2, said: read.problems.map((problem) => `${problem.name} ${problem.message}`).join('\n') };
  try {
    return {
      code: 0,
      said: await command(what === 'ID' ? subject : resolve(subject), read.settings.database),
    };
  } catch (error) {
    const { code, reason } = reasonFor(error);
    return { code, said: `The ${name} failed: ${reason}.` };
  }
}

export async function runCommand(name: string, command: Command, what?: 'ID'): Promise<void> {
  const { code, said } = await endingOf(name, command, process.argv.slice(2), process.env, what);
  process[code === 0 ? 'stdout' : 'stderr'].write(`${said}\n`);
  process.exitCode = code;
}

/** Why nothing was done. Throws the error if it is a bug. */
function reasonFor(error: unknown): { code: 1 | 2; reason: string } {
  if (error instanceof UsageError || codeOf(error)?.startsWith('SQLITE_'))
    return { code: 1, reason: wordsOf(error) };
  const lasting = lastingFaultOf(error);
  const fault = lasting && startFault(new LastingFaultError(lasting));
  if (fault !== undefined) return { code: 2, reason: fault };
  if (isRefusal(error)) return { code: 1, reason: `the database refused it (${wordsOf(error)})` };
  if (isAway(error)) return { code: 1, reason: wordsOf(error) };
  throw error;
}
