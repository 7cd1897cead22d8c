import { readIpWord } from './ip-address.ts';
import { ATTRIBUTES, readAttributes, readElements, type Texts, type TokenTest } from './nac-body.ts';
import { type Portal, type Quarantine, readPortal, readQuarantine } from './restrictions.ts';

/** A session in the network engineer's words; a field is undefined if the NAC did not say it. Values are foreign text. */
export type SessionRecord = Partial<ReturnType<typeof readRecord>>;

/**
 * Reads the record of a `<sessionParameters>` body; element names are Cisco ISE's (Session/MACAddress of its monitoring
 * API). If the XML is not well-formed, the record holds what could be read, perhaps nothing.
 */
export function readRecord(xml: string) {
  const session = withoutUnknown(readElements(xml, 'sessionParameters'));
  const attributes = withoutUnknown(readAttributes(session));
  const pairs = ATTRIBUTES.map((name) => session.get(name) ?? '').join();
  const since = session.get('auth_acs_timestamp') ?? session.get('acs_timestamp');
  const told = [since, session.get('acct_acs_timestamp')].flatMap((text) => timeOf(text) ?? []);
  const response = session.get('response') ?? ''; // What the NAC told the switch.
  const portType = session.get('nas_port_type') ?? attributes.get('NAS-Port-Type');
  const steps = session.get('execution_steps')?.split(/[\s,]+/);
  return {
    passed: readFlag(session.get('passed')) ?? (readFlag(session.get('failed')) ? false : undefined),
    /** Undefined while the session lasts. */
    ended: readEnd(session),
    /** `by` names what says "quarantine", and `as` says what that is. */
    quarantine: readQuarantine(session, attributes),
    portal: readPortal(session),
    posture:
      attributes.get('PostureStatus') ??
      session.get('posture_status') ??
      session.get('nac_policy_compliance'),
    user: session.get('user_name'),
    /** What the device is known by: a MAC address in any spelling; for a VPN, an IP address. */
    station: session.get('calling_station_id'),
    ipAddress: session.get('framed_ip_address') ?? readIpv6(xml) ?? session.get('framed_ipv6_address'),
    ...readNetworkDevice(session),
    port: session.get('nas_port_id'),
    ssid: readSsid(session, attributes, pairs, portType),
    /** A VPN's tunnel group, if one is known, and the address that the client dials in from. */
    vpn: readVpn(session, attributes, portType),
    vlan:
      found(/Tunnel-Private-Group-ID=(?:\(tag=\d{1,3}\))?([^;}]{1,200})/i, response)?.trim() ||
      (session.get('vlan') ?? pairValue(pairs, 'vlan-id')),
    location: readLocation(session.get('location')),
    method: session.get('authentication_method'),
    protocol: session.get('authentication_protocol'),
    /** Which half of a chained authentication (EAP-FAST, TEAP) failed, although the NAC let the device in. */
    chaining: readChaining(attributes.get('EapChainingResult')),
    securityGroup: session.get('cts_security_group') ?? session.get('security_group'),
    /** `#ACSACL#-IP-Permit_Printers-57f6b0d3` is `Permit_Printers`. */
    accessList: (found(/CiscoSecure-Defined-ACL=([^;}\s]{1,200})/i, response) ?? session.get('dacl'))
      ?.replace(/^#ACSACL#-IP(?:v6)?-/i, '')
      .replace(/-[0-9a-f]{8}$/i, ''),
    /** The names of the posture policies that the device failed, at most three. */
    failedPolicies: readFailedPolicies(attributes.get('PostureReport') ?? session.get('posture_report')),
    /** How long the authentication took, if that was over 3 s, and the step that took the most of it. */
    slow: readSlowness(session, attributes, steps),
    authorizationProfiles: session.get('selected_azn_profiles'),
    policySet: attributes.get('ISEPolicySetName'),
    rule: attributes.get('AuthorizationPolicyMatchedRule'),
    endpointProfile: session.get('endpoint_policy') ?? attributes.get('EndPointMatchedProfile'),
    identityGroup: session.get('identity_group'),
    failureReason: session.get('failure_reason'),
    steps,
    /** When the session was authenticated, as the NAC wrote it (ISO 8601). */
    since,
    /** The newest time of authentication and accounting (milliseconds since 1970). */
    lastSignAt: told.length > 0 ? Math.max(...told) : undefined,
  };
}

/** Leaves the names of policies, profiles and rules out that are ignored as tokens. */
export function withoutIgnored(record: SessionRecord, isIgnored: TokenTest): SessionRecord {
  const { quarantine, authorizationProfiles, policySet, rule } = record;
  const named = (names = '') =>
    names
      .split(',')
      .filter((name) => !isIgnored(name.trim()))
      .join() || undefined;
  return {
    ...record,
    quarantine: quarantine && { ...quarantine, by: named(quarantine.by) },
    authorizationProfiles: named(authorizationProfiles),
    policySet: named(policySet),
    rule: named(rule),
  };
}

/** A device has several IPv6 addresses. That of the link alone, which often stands first, leads nowhere. */
function readIpv6(xml: string): string | undefined {
  const elements = xml.matchAll(/ipv6_address>\s*([\da-f:.]{2,45})\s*</gi);
  const all = Array.from(elements, ([, address = '']) => address);
  return all.find((address) => !/^fe[89ab]/i.test(address)) ?? all[0];
}

const found = (pattern: RegExp, text: string) => pattern.exec(text)?.[1];

/** Takes out what the NAC does not know: it writes "Unknown" there. */
function withoutUnknown(texts: Map<string, string>): Texts {
  for (const [name, text] of texts)
    if (text.length === 7 && text.toLowerCase() === 'unknown') texts.delete(name);
  return texts;
}

/** `isUnlisted`: the NAC has no entry for the network device, so its address alone tells where it is. */
export function readNetworkDevice(session: Texts) {
  const name = session.get('network_device_name');
  const address = session.get('nas_ip_address') ?? session.get('device_ip_address');
  if (name === 'DefaultNetworkDevice') return { networkDevice: address ?? name, isUnlisted: true };
  return name === undefined ? { networkDevice: address } : { networkDevice: name, networkAddress: address };
}

/** Returns a value that stands in a list such as `CiscoAVPair=method=mab,vlan-id=290`, or under its own name. */
function pairValue(pairs: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|:!:|[,=])\\s*${name}=`, 'i').exec(pairs);
  if (match === null) return undefined;
  const at = match.index + match[0].length;
  const [value = ''] = pairs.slice(at, at + 1000).split(/:!:|,(?=[^,=:]{1,60}=)/, 1);
  return value.trim() || undefined;
}

/**
 * Access points say `00-11-22-33-44-55:Corp` (RFC 3580, section 3.20); wired switches say anything there, even their own
 * name. Wireless records often have no port type, but never an Ethernet port.
 */
function readSsid(session: Texts, attributes: Texts, pairs: string, type?: string): string | undefined {
  if (type !== undefined && !/wireless/i.test(type)) return undefined;
  const told = pairValue(pairs, 'cisco-wlan-ssid');
  if (told !== undefined) return told;
  const isWired = /^(?:\w*ethernet|gi|te|fa|eth)\d/i.test(session.get('nas_port_id') ?? '');
  if (type === undefined && isWired) return undefined;
  const station = session.get('called_station_id') ?? attributes.get('Called-Station-ID') ?? '';
  const behind = found(/^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}:(.+)$/i, station);
  const hostOf = (name?: string) => name?.toLowerCase().split('.', 1)[0];
  const own = [session.get('network_device_name'), attributes.get('NAS-Identifier')].map(hostOf);
  return behind === undefined || own.includes(hostOf(behind)) ? undefined : behind;
}

function readVpn(session: Texts, attributes: Texts, type?: string) {
  const group = attributes.get('CVPN3000/ASA/PIX7x-Tunnel-Group-Name');
  if (group === undefined && type !== 'Virtual') return undefined;
  const station = readIpWord(session.get('calling_station_id') ?? '');
  return { group, client: station?.kind === 'address' ? station.address : undefined };
}

function readChaining(result = ''): 'user failed' | 'machine failed' | undefined {
  if (/user failed and machine succeeded/i.test(result)) return 'user failed';
  return /machine failed and user succeeded|user succeeded and machine failed/i.test(result)
    ? 'machine failed'
    : undefined;
}

/** `Firewall\;Passed\;(...)\,Antivirus\;Failed\;(...)` fails `Antivirus`. */
function readFailedPolicies(report = ''): string[] | undefined {
  const policies = report.slice(0, 20_000).matchAll(/(?:^|[,)]\s*)([^\\;,()]{1,200})\\?;\s*failed\b/gi);
  const names = Array.from(policies, ([, name = '']) => name.trim()).slice(0, 3);
  return names.length > 0 ? names : undefined;
}

const SLOW_MS = 3000;

/** `StepLatency=1=0;2=14031` counts in milliseconds, and numbers the execution steps from 1. */
function readSlowness(session: Texts, attributes: Texts, codes: readonly string[] = []) {
  const steps = (attributes.get('StepLatency') ?? '').split(/\\?;/).flatMap((pair) => {
    const [number, latency] = pair.split('=');
    return readMs(latency).map((stepMs) => ({ ms: stepMs, code: codes[Number(number) - 1] }));
  });
  const [slowest] = steps.toSorted((one, other) => other.ms - one.ms);
  const told = [session.get('response_time'), attributes.get('TotalAuthenLatency')].flatMap(readMs);
  const ms = Math.max(slowest?.ms ?? 0, ...told);
  return ms > SLOW_MS ? { ms, step: slowest && slowest.ms > ms / 2 ? slowest.code : undefined } : undefined;
}

const readMs = (text = '') => (/^\d{1,9}$/.test(text) ? [Number(text)] : []);

/** `Location#All Locations#Berlin#Floor 2` is `Berlin / Floor 2`; the root alone says nothing. */
function readLocation(text: string | undefined): string | undefined {
  const places = (text ?? '').split('#').filter((place) => !/^(?:Location|All Locations|)$/.test(place));
  return places.length > 0 ? places.join(' / ') : undefined;
}

export type Field = { name: string; value: string };

/** Returns the elements of a `<sessionParameters>` body, then its attributes: the first of each name. */
export function readFields(xml: string): Field[] {
  const elements = readElements(xml, 'sessionParameters');
  return [...elements, ...readAttributes(elements)]
    .filter(([name]) => !ATTRIBUTES.includes(name))
    .map(([name, value]) => ({ name, value }));
}

/** When a session ended, as the NAC wrote it (ISO 8601), and why. */
export type SessionEnd = { at?: string | undefined; cause?: string | undefined };

export type SessionState =
  | ({ kind: 'ended' } & SessionEnd)
  | ({ kind: 'quarantined' } & Quarantine)
  | { kind: 'redirected'; to: Portal }
  /** `unknown`: the NAC did not say whether it let the device in. */
  | { kind: 'rejected' | 'posture pending' | 'not compliant' | 'connected' | 'unknown' };

export function stateOf({ passed, ended, quarantine, portal, posture }: SessionRecord): SessionState {
  if (passed === false) return { kind: 'rejected' };
  if (ended) return { kind: 'ended', ...ended };
  if (quarantine) return { kind: 'quarantined', ...quarantine };
  if (portal) return { kind: 'redirected', to: portal };
  const plain = posture?.toLowerCase().replace(/[^a-z]/g, '');
  if (plain === 'pending') return { kind: 'posture pending' };
  if (plain === 'noncompliant' || plain === 'notcompliant') return { kind: 'not compliant' };
  return { kind: passed ? 'connected' : 'unknown' };
}

/** Reads a time of the NAC (milliseconds since 1970); undefined if it is missing, has no zone, or is in an unknown form. */
export function timeOf(text = ''): number | undefined {
  return /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? momentOf(text) : undefined;
}

function momentOf(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `true` and `false`, in newer builds `1` and `0`. */
export function readFlag(text: string | undefined): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/**
 * A stop older than the authentication ended another session. `stopped` lies, so it decides only if a time is missing; in a
 * record of accounting alone, the stop decides. Two times without a zone are in the same one.
 */
function readEnd(session: Texts): SessionEnd | undefined {
  if (session.get('acct_status_type')?.toLowerCase() !== 'stop') return undefined;
  const at = session.get('acct_acs_timestamp');
  const begun = session.get('auth_acs_timestamp') ?? session.get('acs_timestamp');
  const isAlone = begun === undefined && !session.has('passed') && !session.has('failed');
  const isZoned = timeOf(at) !== undefined && timeOf(begun) !== undefined;
  const [stop, begin] = [at, begun].map((text) => (isZoned ? timeOf(text) : unzoned(text)));
  const isTimed = stop !== undefined && begin !== undefined;
  const isEnded = isAlone || (isTimed ? stop >= begin : readFlag(session.get('stopped')));
  return isEnded ? { at, cause: session.get('acct_terminate_cause') } : undefined;
}

/** The order of times without a zone; nobody knows when they were. */
export function unzoned(text = ''): number | undefined {
  return /^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/.test(text) ? momentOf(`${text.replace(' ', 'T')}Z`) : undefined;
}
