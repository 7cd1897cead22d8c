import { type Logger, pino } from 'pino';
import type { Secret } from '../text/secret.ts';
import { visible } from '../text/visible.ts';
import { openStdout } from './stdout.ts';

export type LogOptions = {
  level: string;
  /** Every secret of the settings, to be struck out of errors whoever wrote them. */
  secrets: readonly Secret[];
  /** Where the lines go; standard output unless told otherwise. */
  destination?: pino.DestinationStream;
};

/** Names under which libraries put what nobody may read; a last net behind the type {@link Secret}. */
const SECRET_NAMES = new Set([
  'password',
  'secret',
  'token',
  'authorization',
  'cookie',
  'clientSecret',
  'accessToken',
  'connectionString',
  'apiKey',
  'ticket',
]);

/** Shorter ones stand in ordinary words, and would strike out half of every line. */
const SHORTEST_STRUCK = 6;

/**
 * The log: JSON lines. Of an error it holds type, message, code and stack and nothing else, for drivers hang requests,
 * rows and addresses onto theirs. What people and devices say has its invisible characters made visible.
 */
export function createLog({ level, secrets, destination = openStdout() }: LogOptions): Logger {
  return pino(
    {
      level,
      serializers: { err: describeError },
      formatters: { log: (entry) => cleaned(entry, LEVELS) },
      hooks: {
        // Ordinary lines hold what this project puts there; the others may hold what a library says.
        streamWrite: (line) => (line.startsWith('{"level":30,') ? line : strike(line, secrets)),
      },
    },
    destination,
  );
}

/** Into how many levels of an entry names are looked at. */
const LEVELS = 2;

function cleaned(entry: object, levels: number): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    if (SECRET_NAMES.has(name)) clean[name] = '[secret]';
    else if (typeof value === 'string') clean[name] = visible(value);
    else clean[name] = levels > 1 && isPlainObject(value) ? cleaned(value, levels - 1) : value;
  }
  return clean;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Some libraries emit errors as plain objects. */
function describeError(error: unknown): object {
  if (typeof error !== 'object' || error === null || !('message' in error))
    return { type: typeof error, message: String(error) };
  const { name, message, stack, code } = error as NodeJS.ErrnoException;
  return { type: name, message: String(message), code, stack };
}

/** A line without any secret, as it is, or as it stands in an address or in JSON. */
function strike(line: string, secrets: readonly Secret[]): string {
  return secrets
    .map((secret) => secret.reveal())
    .filter((value) => value.length >= SHORTEST_STRUCK)
    .flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])
    .reduce((struck, form) => struck.replaceAll(form, '[secret]'), line);
}

/** Lets the log, which strikes out secrets, have the last word on a bug that nobody caught; Node would print all of it. */
export function endWithTheLog(log: Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'crashed');
    process.exit(1);
  });
}
