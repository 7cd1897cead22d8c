import { writeSync } from 'node:fs';
import type { pino } from 'pino';

/** How long a line may wait for others, in ms: under load, a write for each would be a good part of a lookup's cost. */
const GATHER_MS = 20;
const GATHER_BYTES = 8192;

/** What may wait for a reader who is slow; what comes beyond that is lost, for the bot waits for nobody. */
const MOST_BYTES = 1024 * 1024;

/** How long the last lines wait for a slow reader, in ms, before the process ends without. */
const LAST_LINES_MS = 1000;

/**
 * Standard output for the log. Lines are written together, the last ones when the process ends; only a killed one keeps them.
 * Where nobody reads any more, or the disk is full, lines are lost and the bot goes on. (pino's own destination waits for
 * ever then, and Node's stream does not keep lines when the process ends.)
 */
export function openStdout(): pino.DestinationStream & { flush(done: () => void): void; flushSync(): void } {
  const stdout = process.stdout.fd; // Asked of Node's stream, since that makes a pipe one that never holds up its writer.
  let gathered = '';
  let waiting = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;

  /** Writes what the other side takes now. */
  function writeOut(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length < MOST_BYTES) waiting = Buffer.concat([waiting, Buffer.from(gathered)]);
    gathered = '';
    try {
      while (waiting.length > 0) waiting = waiting.subarray(writeSync(stdout, waiting));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') timer = setTimeout(writeOut, GATHER_MS);
      else waiting = Buffer.alloc(0);
    }
  }

  function flushSync(): void {
    const end = performance.now() + LAST_LINES_MS;
    for (writeOut(); waiting.length > 0 && performance.now() < end; writeOut()) pause(GATHER_MS);
  }

  process.once('exit', flushSync);
  return {
    flushSync,
    flush(done) {
      writeOut();
      done();
    },
    write(line) {
      gathered += line;
      if (gathered.length >= GATHER_BYTES && waiting.length === 0) writeOut();
      else timer ??= setTimeout(writeOut, GATHER_MS);
    },
  };
}

/** Keeps the whole process waiting. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
