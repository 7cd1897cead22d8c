import { isLocallyAdministered } from '../../src/mac-address.ts';
import type { SessionRecord } from '../../src/nac/record.ts';
import { type Line, line } from '../format/line.ts';
import { shorten } from '../format/markdown.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { sinceOf } from './facts.ts';

const DAY_MS = 24 * 3_600_000;

const WORDS = {
  privateAddress: line`This is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.`,
  old: line`The session is older than a day; the device may be gone by now.`,
  rejectedBy: (rule: string) => line`The rule ${shorten(rule)} rejected the device.`,
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

/**
 * What Cisco ISE's most common failure codes mean for the asker. The NAC's own words are shown beside the meaning.
 * Source: "Failure Reasons" in the reports of Cisco ISE.
 */
const MEANINGS: Readonly<Record<string, string>> = {
  '5411': 'The device stopped answering. Is it asleep, or is its 802.1X service hung?',
  '5440': 'The device broke off and started again. Often it is roaming, or the link is poor.',
  '11007': 'The NAC does not know this switch or controller.',
  '11036': 'The switch and the NAC have different shared secrets.',
  '12321': "The device does not trust the NAC's certificate.",
  '12511': "The device refused the NAC's certificate or its TLS settings.",
  '12514': "The NAC does not trust the authority behind the device's certificate.",
  '12516': "The device's certificate has expired.",
  '15039': 'The authorization policy rejects the device.',
  '22040': 'The password is wrong.',
  '22056': 'The NAC finds no such user or device in its identity stores.',
  '22061': 'The account is disabled.',
  '24408': 'The password is wrong in Active Directory.',
  '24415': 'The account is locked in Active Directory.',
};

/** The meaning of a failure reason that begins with a code, such as `22056 Subject not found ...`. */
function explainFailure(reason: string | undefined): string | undefined {
  const [code] = /^\d{4,5}\b/.exec(reason ?? '') ?? [];
  return code === undefined || !Object.hasOwn(MEANINGS, code) ? undefined : MEANINGS[code];
}
