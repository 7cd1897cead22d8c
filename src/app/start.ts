import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Clock, Timing } from '../domain/timing.ts';
import { type LastingFault, lastingFaultOf } from '../store/faults.ts';

export type AppOptions = { log: Logger; clock?: Clock; timing?: Timing };

/** The release, as package.json has it. */
export const VERSION = String(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
);

/** The machine's clocks. Nothing else reads them. */
export const systemClock: Clock = {
  now: Date.now,
  steady: () => performance.timeOrigin + performance.now(), // The store's times outlive a process.
};

/** Returns why a correctly configured bot cannot start, in words, with the path that the system names; undefined for a bug. */
export function startFault(error: unknown): string | undefined {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const lasting = lastingFaultOf(error);
  const ofSystem = SYSTEM_WORDS.find(([codes]) => codes.test(`${syscall} ${code}`))?.[1];
  const words = lasting === undefined ? ofSystem : DATABASE_WORDS[lasting];
  return words !== undefined && path !== undefined ? `${words} (${path})` : words;
}

/** By the failed call and its code; the first that fits counts. */
const SYSTEM_WORDS: ReadonlyArray<readonly [codes: RegExp, words: string]> = [
  [/ EADDRINUSE$/, 'PORT is in use by another program, or equals OPS_PORT: set another port'],
  [/^listen EACCES$/, 'this user may not listen on PORT: set a port above 1023, or give the right to use it'],
  [/ E(?:ACCES|ROFS|PERM)$/, 'this user may not write to DATA_DIR: change the setting or the rights'],
  [/ E(?:EXIST|NOTDIR)$/, 'DATA_DIR names a file, or a path below a file: set a folder'],
  [
    / (?:EADDRNOTAVAIL|EAI_AGAIN|ENOTFOUND)$/,
    'HOST is no address of this machine: set one, or 0.0.0.0 for all',
  ],
  [/ E(?:ISDIR|LOOP|NOENT)$/, 'the folder in DATA_DIR cannot be made or used: set another folder'],
  [/ ENOSPC$/, 'the disk of DATA_DIR is full: make room'],
  [/ ENAMETOOLONG$/, 'the path in DATA_DIR is too long: set a shorter path'],
];

const DATABASE_WORDS: Readonly<Record<LastingFault, string>> = {
  'password refused':
    'the database server refuses the user name or password in DATABASE_URL: correct them there, or set a new password',
  'user refused':
    'the database server does not let the user in DATABASE_URL in from here: check the user, sslmode, and pg_hba.conf on the server',
  'no such database':
    'the database that DATABASE_URL names does not exist on the server: create it, or name another',
  'right missing':
    'the user in DATABASE_URL lacks a right in the database: grant CONNECT and CREATE on it, and make this user the owner of the schema nac_lookup_bot',
  'no TLS':
    'the connection to the database server cannot be secured: check sslmode and sslrootcert in DATABASE_URL, and the certificate of the server',
  'address unreadable':
    'DATABASE_URL cannot be used: write special characters as %XX, and name only files that this user can read',
  'folder in use': 'another bot uses the folder in DATA_DIR: stop that bot, or set another folder',
  'no SQLite':
    'nac-lookup-bot.db in DATA_DIR is no SQLite database, or is damaged: put back a copy, or set another folder',
  'files not writable':
    'this user may not write to the files in DATA_DIR: change the rights, or set another folder',
  'newer release':
    'a newer release of the bot made nac-lookup-bot.db in DATA_DIR: start that release, or put back an older copy',
  'folder of 0.1.0':
    'DATA_DIR holds data of release 0.1.0, which this release cannot read: let 0.1.0 empty its queues, then set another folder; people connect again, and alerts need "alerts here as" again',
};
