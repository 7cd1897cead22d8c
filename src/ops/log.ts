import { AsyncLocalStorage } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { visible } from '../domain/text.ts';

/** The `number` of the lookup that runs, which its answer and audit lines name too, for each line of the log. */
export const numbers = new AsyncLocalStorage<number>();

type LogOptions = {
  level: string;
  secrets: () => readonly string[];
  watch?: (listener: () => void) => void;
  destination?: pino.DestinationStream;
};

/**
 * The log: JSON lines. An error is logged as type, message, code and stack alone, because drivers attach requests, rows
 * and addresses to theirs. Invisible characters are made visible, in our own texts too.
 * @param options.secrets reads the present secrets of the settings, which the log strikes out of every line
 * @param options.watch adds a listener for changes of secrets
 */
export function createLog({ level, secrets, watch, destination = openStdout() }: LogOptions): Logger {
  let forms: string[] = [];
  function reveal(): void {
    const all = new Set([...forms, ...secrets().flatMap(formsOf)]); // Also those that were replaced.
    forms = [...all].sort((one, other) => other.length - one.length); // One form can begin with another.
  }
  reveal();
  watch?.(reveal);
  const strike = (line: string) => forms.reduce((text, form) => text.replaceAll(form, '[secret]'), line);
  const options = {
    level,
    timestamp: stdTimeFunctions.isoTime, // People read it as it stands.
    serializers: { err: describeError },
    mixin: () => ({ number: numbers.getStore() }),
    hooks: { streamWrite: (line: string) => `${visible(strike(line.trimEnd()), '\\\\u')}\n` },
  };
  return pino(options, destination);
}

/** Some libraries emit errors as plain objects. */
function describeError(error: unknown): object {
  if (typeof error !== 'object' || error === null || !('message' in error))
    return { type: typeof error, message: String(error) };
  const { name, message, stack, code } = error as NodeJS.ErrnoException;
  return { type: name, message: String(message), code, stack };
}

/** A secret as it stands in a text, in an address and in JSON. Shorter secrets stand in ordinary words, too. */
const formsOf = (secret: string) =>
  secret.length < 6 ? [] : [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];

/** The pause before a slow reader is tried again, in ms. */
const RETRY_MS = 20;
/** The most bytes that wait for a slow reader. Further lines are lost, because the bot waits for no reader. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** How long the last lines wait for a slow reader, in ms, before they are lost. */
const MAX_FLUSH_MS = 1000;

/**
 * Standard output for the log. If its reader is gone, or the disk is full, lines are lost and the bot goes on. (pino's own
 * destination would wait for ever, and Node's stream loses lines when the process ends.)
 * @param write writes some of the bytes, and returns how many; throws `EAGAIN` if the reader takes none now
 */
export function openStdout(
  write = (bytes: Buffer) => writeSync(process.stdout.fd, bytes), // Node's stream makes a pipe non-blocking.
): pino.DestinationStream & { flushSync(): void } {
  let gathered = '';
  let waiting = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;

  function writeOut(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length < MAX_WAITING_BYTES) waiting = Buffer.concat([waiting, Buffer.from(gathered)]);
    gathered = '';
    try {
      while (waiting.length > 0) waiting = waiting.subarray(write(waiting));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') timer = setTimeout(writeOut, RETRY_MS);
      else waiting = Buffer.alloc(0);
    }
  }

  function flushSync(): void {
    writeOut();
    for (let pauses = 0; waiting.length > 0 && pauses < MAX_FLUSH_MS / RETRY_MS; pauses++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS); // Blocks the whole process.
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
