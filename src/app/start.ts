import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Clock, Timing } from '../domain/timing.ts';

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
