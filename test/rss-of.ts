import { readFileSync } from 'node:fs';
import type { RunningBot } from '../src/sandbox/sandbox.ts';

/** The bot's resident memory in MB, as Linux counts it. */
export function rssOf({ child }: Pick<RunningBot, 'child'>): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
}
