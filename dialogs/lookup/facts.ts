import { type DeviceAddress, isMacAddress } from '../../src/domain/device-address.ts';
import { findMaker } from '../../src/domain/maker.ts';
import { type SessionRecord, stateOf, timeOf } from '../../src/domain/record.ts';
import { joinLines, type Line, line, type Reader, shorten } from '../format/words.ts';
import { type DeviceAnswer, isDevice, recordOf } from './device-answer.ts';

export type Fact = { label: string; value: Line };

/** `why`: what the NAC decided. `inCard`: what the card shows instead of `all`, because a phone has less room. */
export function factsOf(answer: DeviceAnswer, reader: Reader): Record<'all' | 'inCard' | 'why', Fact[]> {
  const { address } = answer;
  const record = recordOf(answer);
  const user = userOf(address, record);
  const where = [
    ...fact('User', user),
    ...known('IP address', record.ipAddress),
    ...networkDeviceOf(record),
    ...known(record.ssid === undefined ? 'Port' : 'Interface', record.port),
    ...known('Wi-Fi', record.ssid),
    ...vpnOf(record),
    ...known('VLAN', record.vlan),
    ...known('Location', record.location),
  ];
  const since = fact('Since', record.since === undefined ? [] : sayTime(record.since, reader));
  const maker = isMacAddress(address) ? known('Maker', findMaker(address)) : [];
  // Who uses a device, or what it is, says more than who made it.
  const isKnown = record.endpointProfile !== undefined || isForeign(user);
  return {
    all: [...where, ...since, ...maker],
    inCard: [...where, ...nextCommand(answer), ...since, ...(isKnown ? [] : maker)],
    why: reasons(record),
  };
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
export function placeOf({ networkDevice, port, ssid }: SessionRecord): Line[] {
  const [pattern, short = ''] = INTERFACES.find(([name]) => name.test(port ?? '')) ?? [];
  const interfaceName = pattern ? port?.replace(pattern, short) : port;
  const place = [networkDevice, interfaceName].flatMap((text) => (text === undefined ? [] : shorten(text)));
  return [...(place.length > 0 ? [[{ foreign: place.join(' ') }]] : []), ...quoted(ssid)];
}

/** Who uses a device, and where it is, in a few words, then more. Without a session, nothing is known of both. */
export function whoAndWhere(answer: DeviceAnswer, more: readonly Line[] = []): Line {
  const record = recordOf(answer);
  return joinLines([userOf(answer.address, record), ...placeOf(record), ...more], ', ');
}

/** The name tells where the device is; the address tells apart devices that share a name. */
function networkDeviceOf({ networkDevice, networkAddress, isUnlisted, ssid }: SessionRecord): Fact[] {
  const beside = isUnlisted ? [['not defined in the NAC']] : quoted(networkAddress);
  return quoted(networkDevice).map((name) => ({
    label: ssid === undefined ? 'Network device' : 'Wireless controller',
    value: [...name, ...beside.flatMap((each) => line` (${each})`)],
  }));
}

function vpnOf({ vpn }: SessionRecord): Fact[] {
  if (vpn === undefined) return [];
  const client = quoted(vpn.client).map((address) => line`client ${address}`);
  const said = joinLines([...quoted(vpn.group), ...client], ', ');
  return [{ label: 'VPN', value: said.length > 0 ? said : ['yes'] }];
}

/** A time of the NAC; one without a zone as it was written, because nobody knows when that was. */
export function sayTime(text: string, reader: Reader): Line {
  const ms = timeOf(text);
  return ms === undefined
    ? line`${shorten(text)} (as the NAC wrote it, without a time zone)`
    : [timeAndAge(ms, reader)];
}

/** The next command on the switch, to copy: about the session if there is a wired one. None on Wi-Fi and VPN. */
function nextCommand(answer: DeviceAnswer): Fact[] {
  const { address, outcome } = answer;
  const { ssid, vpn } = recordOf(answer);
  if (!isDevice(answer) || !isMacAddress(address) || ssid !== undefined || vpn !== undefined) return [];
  const mac = address
    .replaceAll(':', '')
    .toLowerCase()
    .replace(/(.{4})(?=.)/g, '$1.');
  const command =
    outcome.kind === 'found'
      ? `show authentication sessions mac ${mac} details`
      : `show mac address-table address ${mac}`;
  return [{ label: 'On a switch', value: [command] }];
}

/** Who uses the device. A device without 802.1X gives its own address for a name, which says nothing. */
export function userOf(address: DeviceAddress, { user }: Pick<SessionRecord, 'user'>): Line {
  if (user === undefined) return [];
  const isOwn = user.length <= 17 && user.replace(/[:.-]/g, '').toUpperCase() === address.replaceAll(':', '');
  return isOwn ? ['MAB, no user'] : [{ foreign: shorten(user) }];
}

export const isForeign = (said: Line) => said.some((part) => typeof part !== 'string');

/** What the NAC decided, and by which policies. The verdict on a rejection says why, and which rule it was. */
function reasons(record: SessionRecord): Fact[] {
  const { passed, failureReason, policySet, rule, authorizationProfiles, endpointProfile, identityGroup } =
    record;
  const policy = quoted(policySet, passed === false ? undefined : rule, authorizationProfiles);
  const profile = [...quoted(endpointProfile), ...quoted(identityGroup).map((group) => line`group ${group}`)];
  return [
    ...(passed === false ? [] : known('Why', failureReason)),
    ...methodOf(record),
    ...fact('Policy', joinLines(policy, ', ')),
    ...known('Security group', record.securityGroup),
    ...known('Downloadable ACL', record.accessList),
    ...fact('Profile', joinLines(profile, ', ')),
    ...known('Posture', record.posture),
    // The verdict names them.
    ...(stateOf(record).kind === 'not compliant' ? [] : fact('Failed policies', failedPoliciesOf(record))),
  ];
}

export function failedPoliciesOf({ failedPolicies = [] }: SessionRecord): Line {
  return joinLines(quoted(...failedPolicies), ', ');
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

export const timeAndAge = (ms: number, reader: Reader) => `${reader.time(ms)} (${reader.age(ms)})`;

function fact(label: string, value: Line): Fact[] {
  return value.length > 0 ? [{ label, value }] : [];
}

export function known(label: string, foreign: string | undefined): Fact[] {
  return quoted(foreign).map((value) => ({ label, value }));
}

/** Those foreign texts that are known, each short. */
export function quoted(...texts: ReadonlyArray<string | undefined>): Line[] {
  return texts.flatMap((text) => (text === undefined ? [] : [[{ foreign: shorten(text) }]]));
}
