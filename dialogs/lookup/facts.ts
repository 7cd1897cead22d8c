import { type DeviceAddress, findMaker, isMacAddress } from '../../src/domain/device-address.ts';
import { codeOf } from '../../src/domain/outcome.ts';
import { type SessionRecord, stateOf, timeOf } from '../../src/domain/record.ts';
import { joinLines, type Line, line, shorten } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';

/** `short`: what a lock screen shows of it. */
export type Fact = { label: string; value: Line; short?: Line };

export function whereabouts(address: DeviceAddress, record: SessionRecord): Fact[] {
  const user = userOf(address, record);
  return [
    ...(user ? [{ label: 'User', value: user }] : []),
    ...known('IP address', record.ipAddress),
    ...networkDeviceOf(record),
    ...known(record.ssid === undefined ? 'Port' : 'Interface', record.port),
    ...known('Wi-Fi', record.ssid),
    ...vpnOf(record),
    ...known('VLAN', record.vlan),
    ...known('Location', record.location),
  ];
}

/** The names of interfaces as Cisco's switches shorten them; others stay. */
const INTERFACES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^TenGigabitEthernet/i, 'Te'],
  [/^TwentyFiveGigE(?:thernet)?/i, 'Twe'],
  [/^FortyGigabitEthernet/i, 'Fo'],
  [/^HundredGigE(?:thernet)?/i, 'Hu'],
  [/^TwoGigabitEthernet/i, 'Tw'],
  [/^FiveGigabitEthernet/i, 'Fi'],
  [/^GigabitEthernet/i, 'Gi'],
  [/^FastEthernet/i, 'Fa'],
];

/** Where a device is, in a few words: the network device with the port (`sw-floor2-17 Gi1/0/15`), then the Wi-Fi's name. */
export function placeOf({
  networkDevice,
  port,
  ssid,
}: Pick<SessionRecord, 'networkDevice' | 'port' | 'ssid'>): Line[] {
  const [pattern, short = ''] = INTERFACES.find(([name]) => name.test(port ?? '')) ?? [];
  const interfaceName = pattern ? port?.replace(pattern, short) : port;
  const place = [networkDevice, interfaceName].flatMap((text) => (text === undefined ? [] : shorten(text)));
  return [...(place.length > 0 ? [[{ foreign: place.join(' ') }]] : []), ...quoted(ssid)];
}

/** Who uses a device, and where it is, in a few words. Empty without a session. */
export function whoAndWhere({ address, outcome }: DeviceAnswer): Line {
  if (outcome.kind !== 'found') return [];
  const user = userOf(address, outcome.record);
  return joinLines([...(user ? [user] : []), ...placeOf(outcome.record)], ', ');
}

/** The name tells where the device is; the address tells apart devices that share a name. */
function networkDeviceOf({ networkDevice, networkAddress, isUnlisted, ssid }: SessionRecord): Fact[] {
  const beside = isUnlisted ? [['not defined in the NAC']] : quoted(networkAddress);
  return quoted(networkDevice).map((name) => ({
    label: ssid === undefined ? 'Network device' : 'Wireless controller',
    value: [...name, ...beside.flatMap((each) => line` (${each})`)],
  }));
}

export function vpnOf({ vpn }: SessionRecord): Fact[] {
  if (vpn === undefined) return [];
  const [group, client] = [quoted(vpn.group), quoted(vpn.client)];
  const said = joinLines([...group, ...client.map((address) => line`client ${address}`)], ', ');
  return [
    { label: 'VPN', value: said.length > 0 ? said : ['yes'], short: joinLines([['VPN'], ...group], ' ') },
  ];
}

export function sinceOf({ since }: SessionRecord, format: Format): Fact[] {
  return since === undefined ? [] : [{ label: 'Since', value: sayTime(since, format) }];
}

/** A time of the NAC; one without a zone as it was written, because nobody knows when that was. */
export function sayTime(text: string, format: Format): Line {
  const ms = timeOf(text);
  return ms === undefined
    ? line`${shorten(text)} (as the NAC wrote it, without a time zone)`
    : [timeAndAge(ms, format)];
}

/** The next command on the switch, to copy: about the session if there is a wired one. None on Wi-Fi and VPN. */
export function nextCommand(address: DeviceAddress, record: SessionRecord | undefined): Fact[] {
  if (!isMacAddress(address) || record?.ssid !== undefined || record?.vpn !== undefined) return [];
  const mac = address
    .replaceAll(':', '')
    .toLowerCase()
    .replace(/(.{4})(?=.)/g, '$1.');
  const command = record
    ? `show authentication sessions mac ${mac} details`
    : `show mac address-table address ${mac}`;
  return [{ label: 'On a switch', value: [command] }];
}

/** Who uses the device. A device without 802.1X gives its own address for a name, which says nothing. */
export function userOf(address: DeviceAddress, { user }: SessionRecord): Line | undefined {
  if (user === undefined) return undefined;
  const isOwn = user.length <= 17 && user.replace(/[:.-]/g, '').toUpperCase() === address.replaceAll(':', '');
  return isOwn ? ['MAB, no user'] : [{ foreign: shorten(user) }];
}

/** What the NAC decided, and by which policies. The verdict on a rejection says why, and which rule it was. */
export function reasons(record: SessionRecord): Fact[] {
  const { passed, failureReason, policySet, rule, authorizationProfiles, endpointProfile, identityGroup } =
    record;
  const policy = quoted(policySet, passed === false ? undefined : rule, authorizationProfiles);
  const profile = [...quoted(endpointProfile), ...quoted(identityGroup).map((group) => line`group ${group}`)];
  return [
    ...(passed === false ? [] : known('Why', failureReason)),
    ...methodOf(record),
    ...(policy.length > 0 ? [{ label: 'Policy', value: joinLines(policy, ', ') }] : []),
    ...known('Security group', record.securityGroup),
    ...known('Downloadable ACL', record.accessList),
    ...(profile.length > 0 ? [{ label: 'Profile', value: joinLines(profile, ', ') }] : []),
    ...known('Posture', record.posture),
    ...(stateOf(record).kind === 'not compliant' ? [] : failedPoliciesOf(record)), // The verdict names them.
  ];
}

function failedPoliciesOf({ failedPolicies = [] }: SessionRecord): Fact[] {
  return failedPolicies.length > 0
    ? [{ label: 'Failed policies', value: joinLines(quoted(...failedPolicies), ', ') }]
    : [];
}

export function sayFailedPolicies(record: SessionRecord): Line | undefined {
  const [failed] = failedPoliciesOf(record);
  return failed && line`It failed ${failed.value}.`;
}

const METHODS = new Map(Object.entries({ dot1x: '802.1X', mab: 'MAB', webauth: 'web' }));

/** Our word for a method, else the NAC's own. */
export function methodName({ method = '' }: Pick<SessionRecord, 'method'>): Line {
  const words = METHODS.get(method.toLowerCase());
  return words === undefined ? line`${shorten(method)}` : [words];
}

/** How the device authenticated; the protocol tells more for 802.1X alone. */
function methodOf({ method, protocol }: SessionRecord): Fact[] {
  if (method === undefined) return [];
  const name = methodName({ method });
  const isTold = name[0] === '802.1X' && protocol !== undefined;
  return [{ label: 'Method', value: isTold ? line`${name}, ${shorten(protocol)}` : name }];
}

export function maker(address: DeviceAddress): Fact[] {
  return isMacAddress(address) ? known('Maker', findMaker(address)) : [];
}

export function timeAndAge(ms: number, format: Format): string {
  return `${format.time(ms)} (${format.age(ms)})`;
}

export function known(label: string, foreign: string | undefined): Fact[] {
  return quoted(foreign).map((value) => ({ label, value }));
}

/** Those foreign texts that are known, each short. */
export function quoted(...texts: ReadonlyArray<string | undefined>): Line[] {
  return texts.flatMap((text) => (text === undefined ? [] : [[{ foreign: shorten(text) }]]));
}

/** Policies reject a device for what it is. Then the rule says more than the cause. */
export function isByPolicy({ failureReason, rule }: Pick<SessionRecord, 'failureReason' | 'rule'>): boolean {
  return rule !== undefined && codeOf(failureReason) === '15039';
}
