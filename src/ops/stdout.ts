import { writeSync } from 'node:fs';
import type { pino } from 'pino';

/** How long a line may wait for others, in ms. Under load, one write per line would be a good part of a lookup's cost. */
const GATHER_MS = 20;
const GATHER_BYTES = 8192;

/** The most bytes that wait for a slow reader. Further lines are lost, because the bot waits for nobody. */
const MOST_BYTES = 1024 * 1024;

/** How long the last lines wait for a slow reader, in ms, before they are lost. */
const LAST_LINES_MS = 1000;

/** Writes a part of the bytes, at least one. Returns how many; throws `EAGAIN` if the reader takes none now. */
type Write = (bytes: Buffer) => number;

/**
 * Standard output for the log. Lines are written in batches, the last batch when the process ends; a killed process loses
 * it. If nobody reads any more, or the disk is full, lines are lost and the bot goes on. (pino's own destination would
 * wait for ever, and Node's stream loses lines when the process ends.)
 */
export function openStdout(
  write: Write = writerOf(process.stdout), // Creating Node's stream makes a pipe non-blocking.
): pino.DestinationStream & { flush(done: () => void): void; flushSync(): void } {
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
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') timer = setTimeout(writeOut, GATHER_MS);
      else waiting = Buffer.alloc(0);
    }
  }

  function flushSync(): void {
    writeOut();
    for (let pauses = 0; waiting.length > 0 && pauses < LAST_LINES_MS / GATHER_MS; pauses++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, GATHER_MS); // Blocks the whole process.
      writeOut();
    }
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

function writerOf({ fd }: { fd: number }): Write {
  return (bytes) => writeSync(fd, bytes);
}
