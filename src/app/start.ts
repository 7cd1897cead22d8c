import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Clock, Timing } from '../domain/timing.ts';
import { LASTING_FAULTS, lastingFaultOf } from '../store/faults.ts';

export type AppOptions = { log: Logger; clock?: Clock; timing?: Timing };

/** The release, as package.json has it. */
export const VERSION = String(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
);

/** The machine's clocks. Nothing else reads them. */
export const systemClock: Clock = { now: Date.now, steady: performance.now.bind(performance) };

/** Returns why a correctly configured bot cannot start, in words, with the path that the system names; undefined for a bug. */
export function startFault(error: unknown): string | undefined {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const lasting = lastingFaultOf(error);
  const fits = ([pattern]: [string, string]) => new RegExp(pattern).test(`${syscall} ${code}`);
  const ofSystem = Object.entries(SYSTEM_WORDS).find(fits)?.[1];
  const words = lasting === undefined ? ofSystem : LASTING_FAULTS[lasting];
  return words !== undefined && path !== undefined ? `${words} (${path})` : words;
}

/** By a pattern of the failed call and its code; the first that fits counts. */
const SYSTEM_WORDS = {
  ' EADDRINUSE$': 'PORT is in use by another program, or equals OPS_PORT: set another port',
  '^listen EACCES$': 'this user may not listen on PORT: set a port above 1023, or give the right to use it',
  ' E(?:ACCES|ROFS|PERM)$': 'this user may not write to DATA_DIR: change the setting or the rights',
  ' (?:EADDRNOTAVAIL|EAI_AGAIN|ENOTFOUND)$':
    'HOST is no address of this machine: set one, or 0.0.0.0 for all',
  ' E(?:EXIST|ISDIR|LOOP|NAMETOOLONG|NOENT|NOTDIR)$':
    'the folder in DATA_DIR cannot be made or used: set another folder',
  ' ENOSPC$': 'the disk of DATA_DIR is full: make room',
};
