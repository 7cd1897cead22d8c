import { readFileSync } from 'node:fs';
import type { RunningBot } from '../src/sandbox/sandbox.ts';

/** The bot's resident memory in MB (2^20), as Linux counts it: now, or at most. */
export function rssOf({ child }: Pick<RunningBot, 'child'>, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`${which}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}

/** The processor time that the bot has used, in milliseconds, as Linux counts it: in hundredths of a second. */
export function cpuMsOf({ child }: Pick<RunningBot, 'child'>): number {
  const [, fields = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}
