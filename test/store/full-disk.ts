import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const LOG_FILE = 16 * 1024 * 1024;

/** One byte less than a file of the database's log: it cannot make another one. */
export const NO_NEXT_LOG_FILE = LOG_FILE - 1;

/**
 * Lets no file of a process grow beyond so many bytes (`unlimited`: any number), which is a full disk to it and needs no root.
 * Fails where the system cannot do that.
 */
export async function limitFiles(pid: number | undefined, bytes: number | 'unlimited'): Promise<void> {
  await run('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`]);
}

/** A statement that writes to the database's log until its file has this much space left (bytes). */
export function fillLog(left: number): string {
  const space = `(${LOG_FILE} - (pg_current_wal_insert_lsn() - '0/0') % ${LOG_FILE})::int`;
  return `do $$ begin
    while ${space} > ${left} loop
      perform pg_logical_emit_message(false, '', repeat('x', least(100000, ${space} - ${left} + 1)));
    end loop;
  end $$`;
}
