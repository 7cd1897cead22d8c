import { type DeviceAddress, findMaker, isMacAddress } from '../../src/domain/device-address.ts';
import { isLocallyAdministered } from '../../src/domain/mac-address.ts';
import { type Cause, causeOf, causeOfSteps } from '../../src/domain/outcome.ts';
import { type Portal, type SessionRecord, stateOf, timeOf } from '../../src/domain/record.ts';
import { type Line, line, shorten } from '../format/line.ts';
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
export function sinceOf({ since }: SessionRecord, format: Format): Fact[] {
  const ms = timeOf(since);
  return ms === undefined ? known('Since', since) : [{ label: 'Since', value: [timeAndAge(ms, format)] }];
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

const METHODS = new Map(Object.entries({ dot1x: '802.1X', mab: 'MAB', webauth: 'web' }));

/** How the device authenticated; the protocol tells more for 802.1X alone. */
function methodOf({ method, protocol }: SessionRecord): Fact[] {
  const words = METHODS.get(method?.toLowerCase() ?? '');
  if (words === undefined) return known('Method', method);
  const isTold = words === '802.1X' && protocol !== undefined;
  return [{ label: 'Method', value: isTold ? line`${[words]}, ${shorten(protocol)}` : [words] }];
}

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
export function hintsOnSession({ outcome }: DeviceAnswer, now: number): Line[] {
  if (outcome.kind !== 'found') return [];
  const { record } = outcome;
  const state = stateOf(record);
  const { cause, cure } = causeIn(record) ?? {};
  return [
    ...(record.passed === false || cause === undefined ? [] : [[cause]]),
    ...(cure === undefined ? [] : [[cure]]),
    ...(record.passed === false && record.rule !== undefined ? [WORDS.rejectedBy(record.rule)] : []),
    ...(state.kind === 'redirected' ? [PORTALS[state.to]] : []),
    ...(isOld(record, now) ? [WORDS.old] : []),
  ];
}

/** Whether a session that has not ended gave its last sign of life more than a day ago. */
export function isOld(record: SessionRecord, now: number): boolean {
  const { lastSignAt } = record;
  return lastSignAt !== undefined && now - lastSignAt > DAY_MS && stateOf(record).kind !== 'ended';
}

/** What a device that is held needs. */
const PORTALS: Readonly<Record<Portal, Line>> = {
  'web login': line`The device reaches only a login page until somebody signs in there.`,
  posture: line`The device reaches only the posture portal until its check has passed.`,
  onboarding: line`The device reaches only the onboarding portal until it is set up.`,
  'device management': line`The device reaches only a portal until the device management has enrolled it.`,
  portal: line`The device reaches only a portal of the NAC.`,
};

/** Why the NAC rejected a device: our words, else the NAC's own, else a possible cause. Undefined if nothing is known. */
export function sayRejection(record: SessionRecord): Line | undefined {
  const { failureReason } = record;
  const cause = causeIn(record)?.cause;
  if (failureReason !== undefined) return cause === undefined ? line`${shorten(failureReason)}.` : [cause];
  return cause === undefined ? undefined : [`Possible cause: ${cause[0]?.toLowerCase()}${cause.slice(1)}`];
}

/** Whether `sayRejection` quotes the failure reason. */
function quotesReason({ passed, failureReason }: SessionRecord): boolean {
  return passed === false && failureReason !== undefined && causeOf(failureReason) === undefined;
}

/** What the failure reason of a record means; of a rejection without a reason, what its steps mean. */
function causeIn({ passed, failureReason, steps = [] }: SessionRecord): Cause | undefined {
  return failureReason === undefined && passed === false ? causeOfSteps(steps) : causeOf(failureReason);
}
