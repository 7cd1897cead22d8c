import type { AskedDevice, DeviceAddress } from '../../src/domain/device-address.ts';
import type { DeviceOutcome } from '../../src/domain/outcome.ts';
import type { Attempt } from '../../src/domain/session.ts';
import type { Endpoint } from '../../src/nac/endpoints.ts';
import type { Line } from './words.ts';

/** One device of a message, with the lookup's outcome. */
export type DeviceAnswer = AskedDevice & {
  outcome: DeviceOutcome;
  /** The device's last attempts within 24 hours, newest first; undefined if they are not known. */
  attempts?: readonly Attempt[];
  /** The device's own record in the NAC, if it has no session; undefined: not known. */
  endpoint?: Endpoint;
  /** The last answer of this process, if the NAC is down now. */
  lastKnown?: RecentLookup | undefined;
  /** The NAC has no active session at all, so it may see nothing. */
  isNobodySeen?: true;
  /** The number of tokens that have no place in the answer; undefined: none. */
  tokensLeftOut?: number;
};
export type Answers = readonly DeviceAnswer[];

/** Several devices: the answers so far, and the addresses without one. */
export type Devices = { answers: Answers; waiting: readonly DeviceAddress[] };

/** `said`: verdict, user and place, with untrusted text. `at`: milliseconds since 1970. */
export type RecentLookup = AskedDevice & { verdict: string; said: Line; at: number };

/** The last answer of a job: `paused` becomes `given up`, because the bot does not try again. */
export function giveUp(answer: DeviceAnswer): DeviceAnswer {
  return answer.outcome.kind === 'paused' ? { ...answer, outcome: { kind: 'given up' } } : answer;
}
