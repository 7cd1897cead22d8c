import { type DeviceAddress, findMaker, isMacAddress } from '../../src/domain/device-address.ts';
import { isLocallyAdministered } from '../../src/domain/mac-address.ts';
import { type Cause, causeOf, causeOfSteps, codeOf } from '../../src/domain/outcome.ts';
import { type Portal, type SessionRecord, stateOf, timeOf } from '../../src/domain/record.ts';
import type { Endpoint } from '../../src/nac/endpoints.ts';
import { joinLines, type Line, line, shorten } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';

/** `short`: what a lock screen shows of it. */
export type Fact = { label: string; value: Line; short?: Line };

export function whereabouts(address: DeviceAddress, record: SessionRecord): Fact[] {
  const user = userOf(address, record);
  return [
    ...(user ? [{ label: 'User', value: user }] : []),
    ...known('IP address', record.ipAddress),
    ...networkDeviceOf(record),
    ...known('Port', record.port),
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

/** The name tells where the device is; the address tells apart devices that share a name. */
function networkDeviceOf({ networkDevice, networkAddress, isUnlisted }: SessionRecord): Fact[] {
  const beside = isUnlisted ? [['not defined in the NAC']] : quoted(networkAddress);
  return quoted(networkDevice).map((name) => ({
    label: 'Network device',
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

export function reasons(record: SessionRecord): Fact[] {
  return [
    ...(quotesReason(record) ? [] : known('Why', record.failureReason)),
    ...methodOf(record),
    ...known('Policy set', record.policySet),
    ...(record.passed === false ? [] : known('Rule', record.rule)), // The verdict says which rule rejected the device.
    ...known('Authorization', record.authorizationProfiles),
    ...known('Security group', record.securityGroup),
    ...known('Downloadable ACL', record.accessList),
    ...known('Endpoint profile', record.endpointProfile),
    ...known('Identity group', record.identityGroup),
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

const DAY_MS = 24 * 3_600_000;

const WORDS = {
  privateAddress: line`This is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.`,
  old: line`The session is older than a day; the device may be gone by now.`,
  reused: line`The session has ended, so another device may have this IP address by now.`,
  rejectedBy: (rule: string) => line`The rule ${shorten(rule)} rejected the device.`,
  known: line`The NAC knows it.`,
  neverSeen: line`The NAC has no record of it (never seen, or removed).`,
};

/** What to know beside the verdict and its reasons. */
export function hintsOn({ asked, address, outcome }: DeviceAnswer): Line[] {
  if (outcome.kind !== 'found' && outcome.kind !== 'no session') return [];
  return [
    ...(outcome.kind === 'found' && !isMacAddress(asked) && outcome.record.ended ? [WORDS.reused] : []),
    ...(isMacAddress(address) && isLocallyAdministered(address) ? [WORDS.privateAddress] : []),
  ];
}

/** What explains the verdict on a session. */
export function hintsOnSession({ outcome }: DeviceAnswer, { format, now }: Reader): Line[] {
  if (outcome.kind !== 'found') return [];
  const { record } = outcome;
  const state = stateOf(record);
  const { cause, cure } = causeIn(record) ?? {};
  return [
    ...(record.passed === false || cause === undefined ? [] : [[cause]]),
    ...(cure === undefined ? [] : [[cure]]),
    ...(state.kind === 'redirected' ? [PORTALS[state.to]] : []),
    ...(record.slow ? [saySlowness(record.slow, format)] : []),
    ...(isOld(record, now) ? [WORDS.old] : []),
  ];
}

/** What the NAC keeps of a device without a session. */
export function sayEndpoint(endpoint: Endpoint): Line {
  if (endpoint.kind === 'not known') return WORDS.neverSeen;
  const { group, isStatic, registeredBy, description } = endpoint;
  const facts = [
    ...quoted(group).map((name) => line`group ${name}${[isStatic ? ' (static)' : '']}`),
    ...quoted(registeredBy).map((name) => line`registered by ${name}`),
    ...quoted(description),
  ];
  return facts.length > 0 ? line`The NAC knows it: ${joinLines(facts, ', ')}.` : WORDS.known;
}

/** The stores that the NAC asks, by the first three digits of its steps. Source: Cisco ISE's message catalogue. */
const STORES: Readonly<Record<string, string>> = {
  240: 'LDAP',
  242: "the NAC's own store",
  243: 'Active Directory',
  244: 'Active Directory',
};

function saySlowness({ ms, step }: NonNullable<SessionRecord['slow']>, format: Format): Line {
  const took = [`The authentication took ${format.number(Math.round(ms / 100) / 10)} s`];
  if (step === undefined) return [...took, '.'];
  const store = STORES[step.slice(0, 3)];
  return line`${took}, most of it in step ${shorten(step)}${[store ? ` (${store})` : '']}.`;
}

/** Which half of a chained authentication failed; undefined: none. */
export function sayChaining({ chaining }: SessionRecord): Line | undefined {
  return chaining && [CHAINING[chaining]];
}

const CHAINING = {
  'user failed': 'The machine passed, but its user failed.',
  'machine failed': 'The user passed, but the machine failed.',
};

/** Whether a session that has not ended gave its last sign of life more than a day ago. */
export function isOld(record: SessionRecord, now: number): boolean {
  const { lastSignAt } = record;
  return lastSignAt !== undefined && now - lastSignAt > DAY_MS && stateOf(record).kind !== 'ended';
}

const PORTALS: Readonly<Record<Portal, Line>> = {
  'web login': line`The device reaches only a login page until somebody signs in there.`,
  posture: line`The device reaches only the posture portal until its check has passed.`,
  onboarding: line`The device reaches only the onboarding portal until it is set up.`,
  'device management': line`The device reaches only a portal until the device management has enrolled it.`,
  portal: line`The device reaches only a portal of the NAC.`,
};

/** Policies reject a device for what it is. Then the rule says more than the cause. */
const BY_POLICY = '15039';

/** Why the NAC rejected a device: our words, else the NAC's own, else a possible cause; then by which quarantine and rule. */
export function sayRejection(record: SessionRecord): Line | undefined {
  const { failureReason, rule, quarantine } = record;
  const by = quarantine?.by === rule ? undefined : quarantine?.by;
  const isByPolicy = rule !== undefined && codeOf(failureReason) === BY_POLICY;
  const said = [
    ...(isByPolicy ? [] : sayReason(record)),
    ...(by === undefined ? [] : [line`Quarantined by ${shorten(by)}.`]),
    ...(rule === undefined ? [] : [WORDS.rejectedBy(rule)]),
  ];
  return said.length > 0 ? joinLines(said, ' ') : undefined;
}

function sayReason(record: SessionRecord): Line[] {
  const { failureReason } = record;
  const cause = causeIn(record)?.cause;
  if (failureReason !== undefined) return [cause === undefined ? line`${shorten(failureReason)}.` : [cause]];
  return cause === undefined ? [] : [[`Possible cause: ${cause[0]?.toLowerCase()}${cause.slice(1)}`]];
}

/** Whether the verdict says all that the NAC's reason says. */
function quotesReason({ passed, failureReason, rule }: SessionRecord): boolean {
  if (passed !== false || failureReason === undefined) return false;
  return causeOf(failureReason) === undefined || (rule !== undefined && codeOf(failureReason) === BY_POLICY);
}

/** What the failure reason of a record means; of a rejection without a reason, what its steps mean. */
function causeIn({ passed, failureReason, steps = [] }: SessionRecord): Cause | undefined {
  return failureReason === undefined && passed === false ? causeOfSteps(steps) : causeOf(failureReason);
}
