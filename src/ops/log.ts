import { AsyncLocalStorage } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { Secret } from '../domain/secret.ts';
import { visible } from '../domain/text.ts';

/** Names under which libraries put secrets; a last net behind the type {@link Secret}. */
const SECRET_NAMES = new Set([
  ...['password', 'secret', 'token', 'authorization', 'cookie', 'clientSecret', 'accessToken'],
  ...['connectionString', 'apiKey', 'ticket'],
]);

/** Shorter secrets stand in ordinary words. */
const SHORTEST_STRUCK = 6;

const numbers = new AsyncLocalStorage<number>();

/** Puts a question's `number`, which its answer and audit lines name, into each log line until `work` has ended. */
export function withNumber<T>(number: number, work: () => T): T {
  return numbers.run(number, work);
}

type LogOptions = { level: string; secrets: readonly Secret[]; destination?: pino.DestinationStream };

/**
 * The log: JSON lines. An error is logged as type, message, code and stack alone, because drivers attach requests, rows
 * and addresses to theirs. Invisible characters in what people and devices say are made visible.
 * @param options.secrets every secret of the settings, which the log strikes out of errors, whoever wrote them
 */
export function createLog({ level, secrets, destination = openStdout() }: LogOptions): Logger {
  const formatters = { log: (entry: object) => cleaned(entry) };
  const hooks = { streamWrite: createStriker(secrets) };
  const mixin = () => ({ number: numbers.getStore() });
  return pino({ level, serializers: { err: describeError }, mixin, formatters, hooks }, destination);
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

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Some libraries emit errors as plain objects. */
function describeError(error: unknown): object {
  if (typeof error !== 'object' || error === null || !('message' in error))
    return { type: typeof error, message: String(error) };
  const { name, message, stack, code } = error as NodeJS.ErrnoException;
  return { type: name, message: String(message), code, stack };
}

/** Strikes every secret out of a line: as it is, as it stands in an address, and as it stands in JSON. */
function createStriker(secrets: readonly Secret[]): (line: string) => string {
  const formsOf = (value: string) =>
    value.length < SHORTEST_STRUCK
      ? []
      : [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
  return (line) =>
    secrets
      .flatMap((secret) => formsOf(secret.reveal()))
      .reduce((struck, form) => struck.replaceAll(form, '[secret]'), line);
}

/** When a slow reader is tried again, in ms. */
const AGAIN_MS = 20;

/** The most bytes that wait for a slow reader. Further lines are lost, because the bot waits for nobody. */
const MOST_BYTES = 1024 * 1024;

/** How long the last lines wait for a slow reader, in ms, before they are lost. */
const LAST_LINES_MS = 1000;

/**
 * Standard output for the log. If nobody reads any more, or the disk is full, lines are lost and the bot goes on. (pino's own
 * destination would wait for ever, and Node's stream loses lines when the process ends.)
 * @param write writes a part of the bytes, at least one. Returns how many; throws `EAGAIN` if the reader takes none now
 */
export function openStdout(
  write = (bytes: Buffer) => writeSync(process.stdout.fd, bytes), // Node's stream makes a pipe non-blocking.
): pino.DestinationStream & { flushSync(): void } {
  let gathered = '';
  let waiting = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;

  /** Writes what the reader takes now. */
  function writeOut(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length < MOST_BYTES) waiting = Buffer.concat([waiting, Buffer.from(gathered)]);
    gathered = '';
    try {
      while (waiting.length > 0) waiting = waiting.subarray(write(waiting));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') timer = setTimeout(writeOut, AGAIN_MS);
      else waiting = Buffer.alloc(0);
    }
  }

  function flushSync(): void {
    writeOut();
    for (let pauses = 0; waiting.length > 0 && pauses < LAST_LINES_MS / AGAIN_MS; pauses++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS); // Blocks the whole process.
      writeOut();
    }
  }

  process.once('exit', flushSync);
  return {
    flushSync,
    write(line) {
      gathered += line;
      if (timer === undefined) writeOut();
    },
  };
}

/** Writes an entry for a finished lookup of one device. `docs/operations.md` says what each field means; times are ISO 8601. */
export type Audit = (entry: object) => void;

/** Writes the lines among those of the log, whatever the log's level. */
export function createAudit(log: Logger): Audit {
  const lines = log.child({}, { level: 'info' });
  return (entry) => lines.info(entry, 'audit');
}
