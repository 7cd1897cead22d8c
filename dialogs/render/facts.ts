import { failureOf } from '../../src/domain/causes.ts';
import { type DeviceAddress, isMacAddress } from '../../src/domain/device-address.ts';
import { findHypervisor, findMaker } from '../../src/domain/maker.ts';
import { hasFailed, type SessionRecord, stateOf, timeOf } from '../../src/domain/session.ts';
import { type DeviceAnswer, isDevice, recordOf } from './device.ts';
import { joinLines, type Line, line, type Reader, shorten } from './words.ts';

/** `isDetail`: a card shows it behind its button "More" alone. */
export type Fact = { label: string; value: Line; isDetail?: boolean };

type Row = readonly [label: string, value: Line | undefined, isDetail?: 'detail' | false];

/** Returns a device's facts in order: user, place, begin, kind of device, the NAC's decision. */
export function listFacts(answer: DeviceAnswer, reader: Reader): Fact[] {
  const { address } = answer;
  const record = recordOf(answer);
  const { wifi, vpn, isTerminal, port, since, endpointProfile } = record;
  const user = userText(address, record);
  // User and profile tell more of a device than its maker.
  const isMade = endpointProfile === undefined && !isForeign(user);
  return rows([
    ['User', user],
    ['IP address', ipAddressText(record)],
    [wifi ? 'Wireless controller' : 'Network device', networkDeviceText(record)],
    isTerminal
      ? ['Login', port === undefined ? undefined : line`terminal line ${shorten(port)}`]
      : [wifi ? 'Interface' : 'Port', text(port)],
    ['Wi-Fi', wifi && (text(wifi.ssid) ?? ['yes'])],
    ['Access point', text(wifi?.accessPoint), 'detail'],
    ['VPN', vpn && vpnText(vpn)],
    ['VLAN', vlanText(record)],
    ['Voice domain', record.isVoice ? ['yes'] : undefined],
    ['Location', text(record.location), 'detail'],
    ['Since', since === undefined ? undefined : timeText(since, reader)],
    ['Maker', isMacAddress(address) ? makerText(address) : undefined, isMade ? false : 'detail'],
    ...decisionRows(record),
  ]);
}

/** A rejection's verdict names reason and rule already. */
function decisionRows(record: SessionRecord): Row[] {
  const { failureReason, policySet, rule, authorizationProfiles, endpointProfile, identityGroup } = record;
  const isRefused = hasFailed(record);
  const policy = quoted(policySet, isRefused ? undefined : rule, authorizationProfiles);
  const profile = [...quoted(endpointProfile), ...quoted(identityGroup).map((group) => line`group ${group}`)];
  const isNamed = stateOf(record).kind === 'not compliant'; // By the verdict.
  return [
    ['Why', isRefused || failureOf(record) ? undefined : text(failureReason)],
    ['Method', methodText(record), 'detail'],
    ['Policy', joinLines(policy, ', ')],
    ['Security group', securityGroupText(record), 'detail'],
    ['Downloadable ACL', text(record.accessList), 'detail'],
    ['Profile', joinLines(profile, ', '), 'detail'],
    ['Posture', text(record.posture), 'detail'],
    ['Failed policies', isNamed ? undefined : failedPoliciesOf(record)],
  ];
}

const rows = (all: readonly Row[]): Fact[] =>
  all.flatMap(([label, value = [], detail]) =>
    value.length > 0 ? [{ label, value, ...(detail && { isDetail: true }) }] : [],
  );

/** `TwentyFiveGigE1/0/1`: Cisco's switches shorten their interfaces' names to these letters, others' names stay. */
const INTERFACE =
  /^(Te(?=n)|Twe(?=nty)|Tw(?=oGig)|Fi(?=ve)|Fo(?=rty)|Hu(?=ndred)|Gi|Fa(?=st))[a-z]{0,20}(?:GigE|Ethernet)(?=\d)/i;

/** The place in a few words: the network device with the port (`sw-floor2-17 Gi1/0/15`), then the Wi-Fi's name. */
export function placeTexts({ networkDevice, port, wifi }: SessionRecord): Line[] {
  const place = [networkDevice, port?.replace(INTERFACE, '$1')].flatMap((each) =>
    each === undefined ? [] : shorten(each),
  );
  return [...(place.length > 0 ? [[{ foreign: place.join(' ') }]] : []), ...quoted(wifi?.ssid)];
}

/** User and place in a few words, then more. Without a session, both are unknown. */
export function whoAndWhere(answer: DeviceAnswer, more: readonly Line[] = []): Line {
  const record = recordOf(answer);
  return joinLines([userText(answer.address, record), ...placeTexts(record), ...more], ', ');
}

type Who = Pick<SessionRecord, 'user' | 'method' | 'protocol'>;

/** By MAB, a device's own address is its user name, which is no user. A certificate can bear that name, too. */
export function userText(address: DeviceAddress, { user, method, protocol }: Who): Line {
  if (user === undefined) return [];
  const isMab = method?.toLowerCase() === 'mab' || protocol === 'Lookup';
  const isOwn = user.length <= 17 && user.replace(/[:.-]/g, '').toUpperCase() === address.replaceAll(':', '');
  return isMab && isOwn ? ['MAB, no user'] : [{ foreign: shorten(user) }];
}

export const isForeign = (said: Line) => said.some((part) => typeof part !== 'string');

/** Without an answer of a DHCP server, a device has none, or one of 169.254.0.0/16 (RFC 3927). */
function ipAddressText({ ipAddress }: SessionRecord): Line | undefined {
  const isUnleased = /^(?:169\.254\.|0\.0\.0\.0$)/.test(ipAddress ?? '');
  return isUnleased ? line`${ipAddress ?? ''} (no DHCP address)` : text(ipAddress);
}

/** The name tells where the device is; the address tells apart devices that share a name. */
function networkDeviceText({ networkDevice, networkAddress, isUnlisted }: SessionRecord): Line {
  const address = networkAddress === networkDevice ? [] : quoted(networkAddress);
  const beside = isUnlisted ? [['not defined in the NAC']] : address;
  return quoted(networkDevice).flatMap((name) => [...name, ...beside.flatMap((each) => line` (${each})`)]);
}

function vpnText({ group, client }: NonNullable<SessionRecord['vpn']>): Line {
  const told = joinLines([...quoted(group), ...quoted(client).map((each) => line`client ${each}`)], ', ');
  return told.length > 0 ? told : ['yes'];
}

function vlanText({ vlan, requestedVlan }: SessionRecord): Line | undefined {
  if (vlan !== undefined || requestedVlan === undefined) return text(vlan);
  return line`${shorten(requestedVlan)} in the request; it may have got another`;
}

function makerText(address: DeviceAddress & Parameters<typeof findMaker>[0]): Line | undefined {
  const hypervisor = findHypervisor(address);
  return hypervisor === undefined ? text(findMaker(address)) : [`a virtual machine (${hypervisor})`];
}

function securityGroupText({ securityGroup, securityGroupTag: tag }: SessionRecord): Line | undefined {
  const name = text(securityGroup);
  if (tag === undefined) return name;
  return name ? line`${name} (${tag})` : [String(tag)];
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

function methodText({ method, protocol }: SessionRecord): Line | undefined {
  if (method === undefined) return undefined;
  const name = methodName({ method });
  return name[0] === '802.1X' && protocol !== undefined ? line`${name}, ${shorten(protocol)}` : name;
}

/** The next command on the switch, to copy: about the session if there is a wired one. None on Wi-Fi and VPN. */
export function commandFor(answer: DeviceAnswer): string | undefined {
  const { address, outcome } = answer;
  const { wifi, vpn } = recordOf(answer);
  if (!isDevice(answer) || !isMacAddress(address) || wifi || vpn) return undefined;
  const mac = address
    .replaceAll(':', '')
    .toLowerCase()
    .replace(/(.{4})(?=.)/g, '$1.');
  return outcome.kind === 'found'
    ? `show authentication sessions mac ${mac} details`
    : `show mac address-table address ${mac}`;
}

/** A time of the NAC; one without a zone as it was written, because nobody knows when that was. */
export function timeText(written: string, reader: Reader): Line {
  const ms = timeOf(written);
  return ms === undefined
    ? line`${shorten(written)} (as the NAC wrote it, without a time zone)`
    : [timeAndAge(ms, reader)];
}

export const timeAndAge = (ms: number, reader: Reader) => `${reader.time(ms)} (${reader.age(ms)})`;

/** Returns the untrusted texts that are known, each short. */
export function quoted(...texts: ReadonlyArray<string | undefined>): Line[] {
  return texts.flatMap((each) => (each === undefined ? [] : [[{ foreign: shorten(each) }]]));
}

const text = (foreign: string | undefined): Line | undefined => quoted(foreign)[0];

export const known = (label: string, foreign: string | undefined): Fact[] => rows([[label, text(foreign)]]);
