import { type DeviceAddress, isMacAddress } from '../../src/domain/device-address.ts';
import { codeOf, type FailureReason, type FailureReasons } from '../../src/domain/failure-reasons.ts';
import { isLocallyAdministered } from '../../src/domain/mac-address.ts';
import { findMaker } from '../../src/domain/maker.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import { type Held, timeOf } from '../../src/domain/session-signs.ts';
import { stateOf } from '../../src/domain/session-state.ts';
import { joinLines, type Line, line, shorten } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';

/** A label of ours and its value. */
export type Fact = { label: string; value: Line };

/** The device's user and its place on the network. */
export function whereabouts(address: DeviceAddress, record: SessionRecord): Fact[] {
  const user = userOf(address, record);
  return [
    ...(user ? [{ label: 'User', value: user }] : []),
    ...known('IP address', record.ipAddress),
    ...known('Network device', record.networkDevice),
    ...known('Port', record.port),
    ...known('Wi-Fi', record.ssid),
    ...known('VLAN', record.vlan),
    ...known('Location', record.location),
  ];
}

/** When the session was authenticated. */
export function sinceOf(record: SessionRecord, format: Format): Fact[] {
  const since = timeOf(record.since);
  return since === undefined
    ? known('Since', record.since)
    : [{ label: 'Since', value: [timeAndAge(since, format)] }];
}

/** The address as switches write it (`aabb.ccdd.eeff`), to copy into their commands. */
export function switchForm(address: DeviceAddress): Fact[] {
  if (!isMacAddress(address)) return [];
  const digits = address.replaceAll(':', '').toLowerCase();
  return [{ label: 'On a switch', value: [digits.replace(/(.{4})(?=.)/g, '$1.')] }];
}

/** Who uses the device. A device without 802.1X gives its own address for a name, which says nothing. */
export function userOf(address: DeviceAddress, { user }: SessionRecord): Line | undefined {
  if (user === undefined) return undefined;
  const isOwn = user.length <= 17 && user.replace(/[:.-]/g, '').toUpperCase() === address.replaceAll(':', '');
  return isOwn ? ['MAB, no user'] : [{ foreign: shorten(user) }];
}

/** Why the NAC decided as it did. */
export function reasons(record: SessionRecord): Fact[] {
  return [
    ...(quotesReason(record) ? [] : known('Why', record.failureReason)),
    ...methodOf(record),
    ...known('Policy set', record.policySet),
    ...(record.passed === false ? [] : known('Rule', record.rule)), // A hint says which rule rejected the device.
    ...known('Authorization', record.authorizationProfiles),
    ...known('Security group', record.securityGroup),
    ...known('Downloadable ACL', record.accessList),
    ...known('Endpoint profile', record.endpointProfile),
    ...known('Identity group', record.identityGroup),
    ...known('Posture', record.posture),
  ];
}

const METHODS: ReadonlyMap<string, string> = new Map([
  ['dot1x', '802.1X'],
  ['mab', 'MAB'],
  ['webauth', 'web'],
]);

/** How the device authenticated; the protocol tells more for 802.1X alone. */
function methodOf({ method, protocol }: SessionRecord): Fact[] {
  const words = METHODS.get(method?.toLowerCase() ?? '');
  if (words === undefined) return known('Method', method);
  const isTold = words === '802.1X' && protocol !== undefined;
  return [{ label: 'Method', value: isTold ? line`${[words]}, ${shorten(protocol)}` : [words] }];
}

/** The device's maker, if the registry knows it. */
export function maker(address: DeviceAddress): Fact[] {
  return isMacAddress(address) ? known('Maker', findMaker(address)) : [];
}

/** A time and how long ago it was. @param ms since 1970 */
export function timeAndAge(ms: number, format: Format): string {
  return `${format.time(ms)} (${format.age(ms)})`;
}

function known(label: string, foreign: string | undefined): Fact[] {
  return foreign === undefined ? [] : [{ label, value: [{ foreign: shorten(foreign) }] }];
}

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
