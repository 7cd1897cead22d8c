import { type Attempt, readAttempts } from '../domain/attempts.ts';
import type { MacAddress, MacForm } from '../domain/mac-address.ts';
import { attemptsPath } from './paths.ts';
import { createSisterCall, type SisterOptions } from './sister-call.ts';

/** The longest that an answer may wait for the history (milliseconds). A call that takes longer is given up. */
export const HISTORY_MS = 2500;

/**
 * Asks the NAC for a device's last attempts within 24 hours, at most ten, newest first.
 * @returns undefined if they did not come in time, or not at all
 */
export type History = (
  address: MacAddress,
  person: string,
  withinMs: number,
) => Promise<readonly Attempt[] | undefined>;

export function createHistory(options: SisterOptions & { macForm: MacForm }, onLeft: () => void): History {
  const call = createSisterCall(options, { root: 'authStatusOutputList', read: readAttempts }, onLeft);
  return (address, person, withinMs) => call(attemptsPath(address, options.macForm), person, withinMs);
}
