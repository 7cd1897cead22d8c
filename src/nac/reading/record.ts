import { readIpWord } from '../../domain/ip-address.ts';
import {
  type NetworkDevice,
  type SessionEnd,
  type SessionRecord,
  timeOf,
  unzoned,
} from '../../domain/session.ts';
import { readGroups, readPortal, readPosture, readQuarantine, readRestrictions } from './restrictions.ts';
import { readElements, readTexts, type SessionTexts, type Texts, textOf } from './texts.ts';

/**
 * Reads the record of a `<sessionParameters>` body; element names are Cisco ISE's (Session/MACAddress of its monitoring
 * API). If the XML is not well-formed, the record holds its readable part, perhaps nothing.
 */
export function readRecord(xml: string): SessionRecord {
  const texts = readTexts(readElements(xml, 'sessionParameters'));
  return { ...readDecision(texts), ...readPlace(texts), ...readTimes(texts) };
}

/** Leaves the names of policies, profiles and rules out that are ignored as tokens. */
export function withoutIgnored(record: SessionRecord, isIgnored: (name: string) => boolean): SessionRecord {
  const { quarantine, authorizationProfiles, policySet, rule } = record;
  const isNamed = (name: string) => !isIgnored(name.trim());
  const named = (names?: string) => names?.split(',').filter(isNamed).join() || undefined;
  return {
    ...record,
    quarantine: quarantine && { ...quarantine, by: named(quarantine.by) },
    authorizationProfiles: named(authorizationProfiles),
    policySet: named(policySet),
    rule: named(rule),
  };
}

function readDecision(texts: SessionTexts) {
  const { session, attributes, assigned } = texts;
  const restrictions = readRestrictions(texts);
  const securityGroup =
    session.get('cts_security_group') ?? session.get('security_group') ?? assigned.get('sgt-name');
  const steps = session.get('execution_steps')?.split(/[\s,]+/);
  // A security group's number in hexadecimal digits, then its revision: `0010-0`.
  const [tag] = /^[0-9a-f]{1,4}(?=-\d{1,2}$)/i.exec(assigned.get('security-group-tag') ?? '') ?? [];
  const decision = {
    passed: readPassed(session),
    messageCode: session.get('message_code'),
    restrictions: restrictions.length > 0 ? restrictions : undefined,
    portal: readPortal(texts),
    ...readPosture(texts),
    failedPolicies: readFailedPolicies(attributes.get('posturereport') ?? session.get('posture_report')),
    method: session.get('authentication_method'),
    protocol: session.get('authentication_protocol'),
    chaining: readChaining(attributes.get('eapchainingresult')),
    certificateDays: readNumber(attributes.get('days to expiry')),
    securityGroup,
    securityGroupTag: tag === undefined ? undefined : Number.parseInt(tag, 16),
    // `#ACSACL#-IP-Permit_Printers-57f6b0d3` is `Permit_Printers`.
    accessList: (textOf(/^(?!.*redirect).*acl(?:-name)?$/, assigned) ?? session.get('dacl'))
      ?.replace(/^#ACSACL#-IP(?:v6)?-/i, '')
      .replace(/-[0-9a-f]{8}$/i, ''),
    authorizationProfiles: session.get('selected_azn_profiles'),
    policySet: attributes.get('isepolicysetname'),
    rule: attributes.get('authorizationpolicymatchedrule'),
    endpointProfile: session.get('endpoint_policy') ?? attributes.get('endpointmatchedprofile'),
    identityGroup: readGroups(session).join(', ') || undefined,
    failureReason: session.get('failure_reason'),
    steps,
    slow: readSlowness(texts, steps),
  };
  return { ...decision, quarantine: readQuarantine(decision) };
}

/** Whether the NAC says that it let the device in; if it does not, whether its message's code does. */
export function readPassed(session: Texts): boolean | undefined {
  const passed = readFlag(session.get('passed'));
  const failed = readFlag(session.get('failed'));
  const code = session.get('message_code') ?? '';
  if (passed !== undefined || failed !== undefined) return passed ?? !failed;
  return code === '5200' ? true : /^54\d\d$/.test(code) ? false : undefined;
}

/** `true` and `false`, in newer builds `1` and `0`. */
const readFlag = (text = '') =>
  /^(?:true|1)$/i.test(text) ? true : /^(?:false|0)$/i.test(text) ? false : undefined;

function readChaining(result = ''): SessionRecord['chaining'] {
  const isHalf = /succeeded/i.test(result);
  if (isHalf && /user failed/i.test(result)) return 'user failed';
  return isHalf && /machine failed/i.test(result) ? 'machine failed' : undefined;
}

/** `Firewall\;Passed\;(...)\,Antivirus\;Failed\;(...)` fails `Antivirus`. */
function readFailedPolicies(report = ''): string[] | undefined {
  const policies = report.slice(0, 20_000).matchAll(/(?:^|[,)]\s*)([^\\;,()]{1,200})\\?;\s*failed\b/gi);
  const names = Array.from(policies, ([, name = '']) => name.trim()).slice(0, 3);
  return names.length > 0 ? names : undefined;
}

const readNumber = (text = '') => (/^-?\d{1,9}$/.test(text) ? Number(text) : undefined);

const SLOW_MS = 3000;

/** `StepLatency=1=0;2=14031` counts in milliseconds, and numbers the execution steps from 0. */
function readSlowness({ session, attributes }: SessionTexts, codes: readonly string[] = []) {
  let slowest: { ms: number; code?: string | undefined } = { ms: 0 };
  for (const step of attributes.get('steplatency')?.split(/\\?;/) ?? []) {
    const [number, latency] = step.split('=');
    const ms = readNumber(latency) ?? 0;
    if (ms > slowest.ms) slowest = { ms, code: codes[Number(number)] };
  }
  const whole = readNumber(session.get('response_time')) ?? 0;
  const ms = Math.max(slowest.ms, whole, readNumber(attributes.get('totalauthenlatency')) ?? 0);
  return ms > SLOW_MS ? { ms, step: slowest.ms > ms / 2 ? slowest.code : undefined } : undefined;
}

function readPlace(texts: SessionTexts) {
  const { session, attributes, assigned } = texts;
  // `Location#All Locations#Berlin#Floor 2` is `Berlin / Floor 2`; the root alone says nothing.
  const places = session.get('location')?.replace(/(?:^|#)(?:Location|All Locations|)(?=#|$)/g, '');
  return {
    user: session.get('user_name'),
    station: session.get('calling_station_id'),
    ipAddress: readIpAddress(texts),
    ...readNetworkDevice(session),
    port: session.get('nas_port_id'),
    ...readMedium(texts),
    // The NAC's network goes before the one that the switch named in its request, which may be another.
    vlan:
      assigned.get('tunnel-private-group-id') ??
      assigned.get('airespace-interface-name') ??
      textOf(VLAN_FIELD, assigned) ??
      session.get('vlan'),
    requestedVlan: attributes.get('vlan-id'),
    isVoice: assigned.get('device-traffic-class') === 'voice' || undefined,
    location: places?.replace(/^#/, '').replaceAll('#', ' / ') || undefined,
  };
}

/** `Aruba-User-Vlan`. One for telephones is another's, and one for all that leaves a port holds a flag, too (RFC 4675). */
const VLAN_FIELD = /^(?!.*(?:egress|vo(?:ice|ip))).*vlan(?:-?id|-?name)?$/;

/** A device has several IPv6 addresses. That of the link alone, which often stands first, leads nowhere. */
function readIpAddress({ session, attributes }: SessionTexts): string | undefined {
  const all = session.get('framed_ipv6_address') ?? attributes.get('framed-ipv6-address') ?? '';
  const [routed] = /(?<![^\s,])(?!fe[89ab])[^\s,]+/i.exec(all) ?? [];
  const address = session.get('framed_ip_address') ?? attributes.get('framed-ip-address');
  return (address === '0.0.0.0' && routed) || address || routed || all.split(/[\s,]/, 1)[0] || undefined;
}

export function readNetworkDevice(session: Texts): NetworkDevice {
  const name = session.get('network_device_name');
  const networkAddress =
    session.get('nas_ip_address') ?? session.get('device_ip_address') ?? session.get('nas_ipv6_address');
  if (name === 'DefaultNetworkDevice')
    return { networkDevice: networkAddress ?? name, networkAddress, isUnlisted: true };
  return { networkDevice: name ?? networkAddress, networkAddress };
}

/** Wi-Fi, VPN or a login to the network device itself: each only where the record shows it, else the device is wired. */
function readMedium({ session, attributes }: SessionTexts) {
  // The NAC's own word, such as `WirelessMAB`, stands in for the port's type.
  const flow = attributes.get('radiusflowtype');
  const type = session.get('nas_port_type') ?? attributes.get('nas-port-type') ?? flow;
  const service = session.get('service_type') ?? attributes.get('service-type') ?? '';
  const port = session.get('nas_port_id') ?? '';
  const called = session.get('called_station_id') ?? attributes.get('called-station-id') ?? '';
  const own = session.get('ssid') ?? attributes.get('ssid'); // The NAC copies the former to it, by wire too.
  const isField = textOf(WIFI_FIELD, session, attributes) !== undefined || (own ?? called) !== called;
  const isWifi =
    type === undefined ? isField || /^(?:capwap|dot11radio|wlan)/i.test(port) : /wireless/i.test(type);
  const wifi = isWifi ? readWifi(called, own, session, attributes) : undefined;
  const group = attributes.get(`${VPN}tunnel-group-name`);
  const isVpn = group || attributes.has(`${VPN}client-type`) || attributes.has('tunnel-client-endpoint');
  const station = readIpWord(session.get('calling_station_id') ?? '');
  const vpn = isVpn ? { group, client: station === 'fault' ? undefined : station } : undefined;
  const isLine = /^(?:tty|vty|con|aux|console)\s?\d*$/i.test(port);
  const isLogin =
    /^(?:nas.prompt|administrative|[67]$)/i.test(service) || (type === 'Virtual' && service === 'Login');
  return { wifi, vpn, isTerminal: !wifi && !vpn && (isLine || isLogin) ? true : undefined };
}

/** Cisco's ASA sends them. `nas_port_type` Virtual is also a login to a switch. */
const VPN = 'cvpn3000/asa/pix7x-';

/** A field of its own for a network's name or number: `cisco-wlan-ssid`, `Aruba-Essid-Name`, `Airespace-Wlan-Id`; no BSSID. */
const WIFI_FIELD = /(?:^|[-_ ])wlan(?:$|[-_ ])|(?:^e|[-_ ]e?)ssid(?:$|[-_ ])/;
const SSID_FIELD = /(?:^e|[-_ ]e?)ssid(?:[-_ ]name)?$/;

/**
 * Access points say `00-11-22-33-44-55:Corp` (RFC 3580, section 3.20) or `AP-NAME:Corp`. Wired switches say the same with a
 * name of their own, so the form alone is no Wi-Fi. Records of Cisco ISE often lack the port's type.
 */
function readWifi(
  called: string,
  own: string | undefined,
  session: Texts,
  attributes: Texts,
): SessionRecord['wifi'] {
  const [, accessPoint, name] = CALLED.exec(called) ?? [];
  const hosts = [session.get('network_device_name'), attributes.get('nas-identifier')].map(hostOf);
  const behind = name && !hosts.includes(hostOf(name)) ? name : undefined;
  return { ssid: textOf(SSID_FIELD, session, attributes) ?? behind ?? own, accessPoint };
}

/** An access point's address or name, then the network's name. A name alone could be either. */
const CALLED = /^((?:[0-9a-f]{2}[:-]?){5}[0-9a-f]{2}(?=:|$)|[^:]{1,200}(?=:))(?::(.*))?$/is;

const hostOf = (name?: string) => name?.toLowerCase().split('.', 1)[0];

function readTimes({ session, attributes }: SessionTexts) {
  const since = session.get('auth_acs_timestamp') ?? session.get('acs_timestamp');
  const lastSignAt = Math.max(timeOf(since) ?? 0, timeOf(session.get('acct_acs_timestamp')) ?? 0);
  const status = session.get('acct_status_type')?.toLowerCase();
  const isAccountingAlone = readPassed(session) === undefined && since === undefined && status !== undefined;
  return {
    since,
    lastSignAt: lastSignAt || undefined,
    isAccountingAlone: isAccountingAlone || undefined,
    ended: status === 'stop' ? readEnd(session, attributes, since, isAccountingAlone) : undefined,
  };
}

/**
 * A stop ends the session with its own id, and no older one. `stopped` is unreliable, so it decides only if a time is missing.
 * In a record of accounting alone, the stop decides. Two times without a zone are in the same one.
 */
function readEnd(session: Texts, attributes: Texts, begun = '', isAlone = false): SessionEnd | undefined {
  const id = session.get('audit_session_id')?.toLowerCase();
  const stoppedId = (attributes.get('cpmsessionid') ?? session.get('cpmsession_id'))?.toLowerCase();
  if (id !== undefined && stoppedId !== undefined && id !== stoppedId) return undefined;
  const at = session.get('acct_acs_timestamp');
  const isZoned = timeOf(at) !== undefined && timeOf(begun) !== undefined;
  const [stop, begin] = isZoned ? [timeOf(at), timeOf(begun)] : [unzoned(at), unzoned(begun)];
  const isTimed = stop !== undefined && begin !== undefined;
  const isEnded = isAlone || (isTimed ? stop >= begin : readFlag(session.get('stopped')));
  const seconds = readNumber(session.get('acct_session_time'));
  return isEnded ? { at, cause: session.get('acct_terminate_cause'), seconds } : undefined;
}
