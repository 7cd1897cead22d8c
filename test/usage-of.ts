import { readFileSync } from 'node:fs';
import type { RunningBot } from '../src/sandbox/sandbox.ts';

/** The bot's resident memory in MB, as Linux counts it. */
export function rssOf({ child }: Pick<RunningBot, 'child'>): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** The processor time that the bot has used, in milliseconds, as Linux counts it: in hundredths of a second. */
export function cpuMsOf({ child }: Pick<RunningBot, 'child'>): number {
  const [, fields = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}
