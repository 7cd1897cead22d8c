import { isMacAddress } from '../../src/domain/device-address.ts';
import { isLocallyAdministered } from '../../src/domain/mac-address.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import type { Held } from '../../src/domain/session-signs.ts';
import { stateOf } from '../../src/domain/session-state.ts';
import { type Line, line } from '../format/line.ts';
import { shorten } from '../format/markdown.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { explainFailure, sayRemedy } from './rejection.ts';

const DAY_MS = 24 * 3_600_000;

const WORDS = {
  privateAddress: line`This is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.`,
  old: line`The session is older than a day; the device may be gone by now.`,
  reused: line`The session has ended, so another device may have this IP address by now.`,
  rejectedBy: (rule: string) => line`The rule ${shorten(rule)} rejected the device.`,
};

/** What an experienced network engineer would add. */
export function hintsOn(answer: DeviceAnswer, now: number): Line[] {
  const { asked, address, outcome } = answer;
  if (outcome.kind !== 'found' && outcome.kind !== 'no session') return [];
  return [
    ...hintsOnSession(answer, now),
    ...(outcome.kind === 'found' && !isMacAddress(asked) && outcome.record.ended ? [WORDS.reused] : []),
    ...(isMacAddress(address) && isLocallyAdministered(address) ? [WORDS.privateAddress] : []),
  ];
}

/** What a device's session needs or hides; nothing without a session. */
export function hintsOnSession({ outcome, reasons }: DeviceAnswer, now: number): Line[] {
  if (outcome.kind !== 'found') return [];
  const { record } = outcome;
  const state = stateOf(record);
  const meaning = record.passed === false ? undefined : explainFailure(record.failureReason);
  const remedy = sayRemedy(record, reasons);
  return [
    ...(meaning === undefined ? [] : [[meaning]]),
    ...(remedy ? [remedy] : []),
    ...(record.passed === false && record.rule !== undefined ? [WORDS.rejectedBy(record.rule)] : []),
    ...(state.kind === 'held' ? [HELD[state.why]] : []),
    ...(isOld(record, now) ? [WORDS.old] : []),
  ];
}

/** Whether a session that has not ended gave its last sign of life more than a day ago. */
export function isOld(record: SessionRecord, now: number): boolean {
  const { lastSignAt } = record;
  return lastSignAt !== undefined && now - lastSignAt > DAY_MS && stateOf(record).kind !== 'ended';
}

/** What a device that is held needs. */
const HELD: Readonly<Record<Held, Line>> = {
  'web login': line`The device reaches only a login page until somebody signs in there.`,
  posture: line`The device reaches only the posture portal until its check has passed.`,
  onboarding: line`The device reaches only the onboarding portal until it is set up.`,
  'device management': line`The device reaches only a portal until the device management has enrolled it.`,
  portal: line`The device reaches only a portal of the NAC.`,
};
