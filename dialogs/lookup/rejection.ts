import { codeOf, type FailureReason, type FailureReasons } from '../../src/domain/failure-reasons.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import { joinLines, type Line, line } from '../format/line.ts';
import { shorten } from '../format/markdown.ts';

/**
 * Why the NAC rejected a device: our words, else the NAC's own and its catalogue's, else a possible cause. Undefined if
 * nothing is known.
 */
export function sayRejection(record: SessionRecord, reasons?: FailureReasons): Line | undefined {
  const { failureReason } = record;
  if (failureReason !== undefined) {
    const meaning = explainFailure(failureReason);
    if (meaning !== undefined) return [meaning];
    const cause = reasonFor(record, reasons)?.cause;
    const reason = line`${shorten(failureReason)}.`;
    return cause === undefined ? reason : joinLines([reason, sentence(cause)], ' ');
  }
  const own = possibleCause(record);
  if (own !== undefined) return [`Possible cause: ${own}`];
  const reason = reasonFor(record, reasons);
  const said = [reason?.words, reason?.cause].flatMap((text) => (text === undefined ? [] : [sentence(text)]));
  return said.length === 0 ? undefined : line`Possible cause: ${joinLines(said, ' ')}`;
}

/** What the NAC says that a rejected device needs; undefined if our words explain the rejection, or nothing is known. */
export function sayRemedy(record: SessionRecord, reasons: FailureReasons | undefined): Line | undefined {
  return sayResolution(reasonFor(record, reasons));
}

/** What the NAC's catalogue advises. */
export function sayResolution(reason: FailureReason | undefined): Line | undefined {
  return reason?.resolution === undefined ? undefined : line`The NAC advises: ${sentence(reason.resolution)}`;
}

/** Whether the NAC's catalogue could say more of a session's rejection than our words do. */
export function needsCatalogue({ passed, failureReason, steps = [] }: SessionRecord): boolean {
  if (passed !== false) return false;
  if (failureReason !== undefined) return isUnexplained(failureReason);
  return steps.length > 0 && possibleCause({ steps }) === undefined;
}

/** Whether a failure reason has a code that our words do not know. */
export function isUnexplained(reason: string | undefined): boolean {
  return codeOf(reason) !== undefined && explainFailure(reason) === undefined;
}

/** The catalogue's entry on a rejection that our words do not know: on its reason, else on its first step that is a failure. */
function reasonFor(record: SessionRecord, reasons: FailureReasons | undefined): FailureReason | undefined {
  if (!reasons || !needsCatalogue(record)) return undefined;
  const { failureReason, steps = [] } = record;
  const codes = failureReason === undefined ? steps : [codeOf(failureReason) ?? ''];
  const code = codes.find((each) => reasons.has(each));
  return code === undefined ? undefined : reasons.get(code);
}

/** Foreign text with a full stop, which is ours: a notification would take a text that ends in one for a link. */
export function sentence(foreign: string): Line {
  const short = shorten(foreign);
  return line`${short.replace(/(?<=[\p{L}\p{N})])\.$/u, '')}.`;
}

/** Whether `sayRejection` already quotes the failure reason. */
export function quotesReason({ passed, failureReason }: SessionRecord): boolean {
  return passed === false && failureReason !== undefined && explainFailure(failureReason) === undefined;
}

function possibleCause({ steps = [] }: Pick<SessionRecord, 'steps'>): string | undefined {
  return STEPS.find(([code]) => steps.includes(code))?.[1];
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
  const code = codeOf(reason);
  return code === undefined || !Object.hasOwn(MEANINGS, code) ? undefined : MEANINGS[code];
}
