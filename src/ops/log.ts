import { type Logger, pino } from 'pino';
import type { Secret } from '../domain/secret.ts';
import { visible } from '../domain/text.ts';
import { openStdout } from './stdout.ts';

/** Names under which libraries put secrets; a last net behind the type {@link Secret}. */
const SECRET_NAMES = new Set([
  ...['password', 'secret', 'token', 'authorization', 'cookie', 'clientSecret', 'accessToken'],
  ...['connectionString', 'apiKey', 'ticket'],
]);

/** Shorter secrets stand in ordinary words, and would strike out half of every line. */
const SHORTEST_STRUCK = 6;

/**
 * The log: JSON lines. An error is logged as type, message, code and stack alone, because drivers attach requests, rows
 * and addresses to theirs. Invisible characters in what people and devices say are made visible.
 * @param options.secrets every secret of the settings, which the log strikes out of errors, whoever wrote them
 * @param options.destination where the lines go; standard output by default
 */
export function createLog(options: {
  level: string;
  secrets: readonly Secret[];
  destination?: pino.DestinationStream;
}): Logger {
  const { level, secrets, destination = openStdout() } = options;
  const formatters = { log: (entry: object) => cleaned(entry) };
  const hooks = { streamWrite: createStriker(secrets) };
  return pino({ level, serializers: { err: describeError }, formatters, hooks }, destination);
}

/** @param levels in how many levels of an entry names are checked */
function cleaned(entry: object, levels = 2): Record<string, unknown> {
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

/** Strikes every secret out of a line: as it is, as it stands in an address, and as it stands in JSON. */
function createStriker(secrets: readonly Secret[]): (line: string) => string {
  const known = new Map<string, readonly string[]>(); // Each lookup writes a line, and the forms of a secret take time to make.
  function formsOf(value: string): readonly string[] {
    if (value.length < SHORTEST_STRUCK) return [];
    const forms = known.get(value) ?? [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
    known.set(value, forms);
    return forms;
  }
  return (line) =>
    secrets
      .flatMap((secret) => formsOf(secret.reveal()))
      .reduce((struck, form) => struck.replaceAll(form, '[secret]'), line);
}
