import { type DeviceAddress, isMacAddress } from '../../src/domain/device-address.ts';
import { findMaker } from '../../src/domain/maker.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import { timeOf } from '../../src/domain/session-signs.ts';
import { type Line, line } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { shorten } from '../format/markdown.ts';
import { quotesReason } from './rejection.ts';

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
