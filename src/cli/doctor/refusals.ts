import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/**
 * The accounts that a system refused, remembered over runs, so that no number of runs locks an account. The file is for its
 * owner alone, and holds nothing of a password.
 */
export type Refusals = {
  /** How long an account still rests, in milliseconds; 0: it may be tried. */
  left(system: string, username: string): number;
  /** Notes a refusal. Returns false if the file cannot be written. */
  note(system: string, username: string): boolean;
  /** Forgets the refusals of an account that was accepted. */
  forget(system: string, username: string): void;
};

export type RefusalsOptions = {
  /** The folder of the file. */
  directory: string;
  now: () => number;
};

/** As long as the longest rest of the bot itself. */
export const REST_MS = 15 * 60_000;

const entrySchema = z.object({ system: z.string(), username: z.string(), until: z.number() });
type Entry = z.output<typeof entrySchema>;

export function openRefusals({ directory, now }: RefusalsOptions): Refusals {
  const file = join(directory, 'doctor-refusals.json');

  /** An end that lies further ahead than a rest is from a clock that was set. */
  const isResting = ({ until }: Entry) => now() < until && until <= now() + REST_MS;

  function read(): Entry[] {
    try {
      return z
        .array(entrySchema)
        .parse(JSON.parse(readFileSync(file, 'utf8')))
        .filter(isResting);
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof z.ZodError || isFileError(error)) return [];
      throw error;
    }
  }

  function write(entries: readonly Entry[]): boolean {
    const unfinished = `${file}.unfinished`;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(unfinished, JSON.stringify(entries), { mode: 0o600 });
      renameSync(unfinished, file);
      return true;
    } catch (error) {
      if (!isFileError(error)) throw error;
      return false;
    }
  }

  const others = (system: string, username: string) =>
    read().filter((each) => each.system !== system || each.username !== username);

  return {
    left(system, username) {
      const entry = read().find((each) => each.system === system && each.username === username);
      return entry ? entry.until - now() : 0;
    },
    note: (system, username) =>
      write([...others(system, username), { system, username, until: now() + REST_MS }]),
    forget(system, username) {
      const left = others(system, username);
      if (left.length < read().length) write(left);
    },
  };
}

function isFileError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}
