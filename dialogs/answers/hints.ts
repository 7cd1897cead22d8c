import { isLocallyAdministered } from '../../src/mac-address.ts';
import type { SessionRecord } from '../../src/nac/record.ts';
import { explainFailure } from '../failure-words.ts';
import { type Line, line } from '../format/line.ts';
import { shorten } from '../format/markdown.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { sinceOf } from './facts.ts';

const DAY_MS = 24 * 3_600_000;

const WORDS = {
  privateAddress: line`This is a private, randomised address, made up by the device, and it may change. Ask the user which address the device shows for this network now, or to turn the private address off for it.`,
  old: line`The session is older than a day; the device may be gone by now.`,
  rejectedBy: (rule: string) => line`The rule that rejected it: ${shorten(rule)}.`,
};

/** What an experienced network engineer would add. */
export function hintsOn({ address, outcome }: DeviceAnswer, now: number): Line[] {
  if (outcome.kind !== 'found' && outcome.kind !== 'no session') return [];
  return [
    ...(outcome.kind === 'found' ? hintsOnSession(outcome.record, now) : []),
    ...(isLocallyAdministered(address) ? [WORDS.privateAddress] : []),
  ];
}

function hintsOnSession(record: SessionRecord, now: number): Line[] {
  const since = sinceOf(record);
  const meaning = explainFailure(record.failureReason);
  return [
    ...(meaning === undefined ? [] : [[meaning]]),
    ...(record.passed === false && record.rule !== undefined ? [WORDS.rejectedBy(record.rule)] : []),
    ...(since !== undefined && now - since > DAY_MS ? [WORDS.old] : []),
  ];
}
