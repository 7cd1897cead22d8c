import type { SessionRecord } from '../../src/nac/record.ts';
import { type Line, line } from '../format/line.ts';
import { shorten } from '../format/markdown.ts';

/** Why the NAC rejected a device: our words, else the NAC's own, else a possible cause. Undefined if nothing is known. */
export function sayRejection({ failureReason, steps = [] }: SessionRecord): Line | undefined {
  if (failureReason !== undefined) {
    const meaning = explainFailure(failureReason);
    return meaning === undefined ? line`${shorten(failureReason)}.` : [meaning];
  }
  const cause = STEPS.find(([code]) => steps.includes(code));
  return cause && [`Possible cause: ${cause[1]}`];
}

/** Whether `sayRejection` already quotes the failure reason. */
export function quotesReason({ passed, failureReason }: SessionRecord): boolean {
  return passed === false && failureReason !== undefined && explainFailure(failureReason) === undefined;
}

/** Steps that name a failure, the most telling first. Successful authentications can hold them too. */
const STEPS: ReadonlyArray<readonly [code: string, cause: string]> = [
  ['24408', 'the password is wrong in Active Directory.'],
  ['22056', 'the NAC finds no such user or device in its identity stores.'],
  ['22057', 'an identity store did not accept the user or device.'],
];

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
export function explainFailure(reason: string | undefined): string | undefined {
  const [code] = /^\d{4,5}\b/.exec(reason ?? '') ?? [];
  return code === undefined || !Object.hasOwn(MEANINGS, code) ? undefined : MEANINGS[code];
}
