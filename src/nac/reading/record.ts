import { readIpWord } from '../../domain/ip-address.ts';
import {
  type NetworkDevice,
  type SessionEnd,
  type SessionRecord,
  timeOf,
  unzoned,
} from '../../domain/session.ts';
import { readGroups, readPortal, readPosture, readQuarantine, readRestrictions } from './restrictions.ts';
import { readAssigned, readElements, readTexts, type Texts, textOf } from './texts.ts';

/**
 * Reads the record of a `<sessionParameters>` body; element names are Cisco ISE's (Session/MACAddress of its monitoring
 * API). If the XML is not well-formed, the record holds its readable part, perhaps nothing.
 */
export function readRecord(xml: string): SessionRecord {
  const texts = readTexts(readElements(xml, 'sessionParameters'));
  const assigned = readAssigned(texts);
  return { ...readDecision(texts, assigned), ...readPlace(texts, assigned), ...readTimes(texts) };
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

function readDecision(texts: Texts, assigned: Texts) {
  const restrictions = readRestrictions(texts);
  const securityGroup =
    texts.get('cts-security-group') ?? texts.get('security-group') ?? assigned.get('sgt-name');
  const steps = texts.get('execution-steps')?.split(/[\s,]+/);
  // A security group's number in hexadecimal digits, then its revision: `0010-0`.
  const [tag] = /^[0-9a-f]{1,4}(?=-\d{1,2}$)/i.exec(assigned.get('security-group-tag') ?? '') ?? [];
  const decision = {
    passed: readPassed(texts),
    messageCode: texts.get('message-code'),
    restrictions: restrictions.length > 0 ? restrictions : undefined,
    portal: readPortal(texts, assigned),
    ...readPosture(texts),
    failedPolicies: readFailedPolicies(texts.get('posturereport') ?? texts.get('posture-report')),
    method: texts.get('authentication-method'),
    protocol: texts.get('authentication-protocol'),
    chaining: readChaining(texts.get('eapchainingresult')),
    certificateDays: readNumber(texts.get('days to expiry')),
    securityGroup,
    securityGroupTag: tag === undefined ? undefined : Number.parseInt(tag, 16),
    // `#ACSACL#-IP-Permit_Printers-57f6b0d3` is `Permit_Printers`.
    accessList: (textOf(/^(?!.*redirect).*acl(?:-name)?$/, assigned) ?? texts.get('dacl'))
      ?.replace(/^#ACSACL#-IP(?:v6)?-/i, '')
      .replace(/-[0-9a-f]{8}$/i, ''),
    authorizationProfiles: texts.get('selected-azn-profiles'),
    policySet: texts.get('isepolicysetname'),
    rule: texts.get('authorizationpolicymatchedrule'),
    endpointProfile: texts.get('endpoint-policy') ?? texts.get('endpointmatchedprofile'),
    identityGroup: readGroups(texts).join(', ') || undefined,
    failureReason: texts.get('failure-reason'),
    steps,
    slow: readSlowness(texts, steps),
  };
  return { ...decision, quarantine: readQuarantine(decision) };
}

/** Whether the NAC says that it let the device in; if it does not, whether its message's code does. */
export function readPassed(texts: Texts): boolean | undefined {
  const passed = readFlag(texts.get('passed'));
  const failed = readFlag(texts.get('failed'));
  const code = texts.get('message-code') ?? '';
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
function readSlowness(texts: Texts, codes: readonly string[] = []) {
  let slowest: { ms: number; code?: string | undefined } = { ms: 0 };
  for (const step of texts.get('steplatency')?.split(/\\?;/) ?? []) {
    const [number, latency] = step.split('=');
    const ms = readNumber(latency) ?? 0;
    if (ms > slowest.ms) slowest = { ms, code: codes[Number(number)] };
  }
  const whole = readNumber(texts.get('response-time')) ?? 0;
  const ms = Math.max(slowest.ms, whole, readNumber(texts.get('totalauthenlatency')) ?? 0);
  return ms > SLOW_MS ? { ms, step: slowest.ms > ms / 2 ? slowest.code : undefined } : undefined;
}

function readPlace(texts: Texts, assigned: Texts) {
  // `Location#All Locations#Berlin#Floor 2` is `Berlin / Floor 2`; the root alone says nothing.
  const places = texts.get('location')?.replace(/(?:^|#)(?:Location|All Locations|)(?=#|$)/g, '');
  return {
    user: texts.get('user-name'),
    station: texts.get('calling-station-id'),
    ipAddress: readIpAddress(texts),
    ...readNetworkDevice(texts),
    port: texts.get('nas-port-id'),
    ...readMedium(texts),
    // The NAC's network goes before the one that the switch named in its request, which may be another.
    vlan:
      assigned.get('tunnel-private-group-id') ??
      assigned.get('airespace-interface-name') ??
      textOf(VLAN_FIELD, assigned) ??
      texts.get('vlan'),
    requestedVlan: texts.get('vlan-id'),
    isVoice: assigned.get('device-traffic-class') === 'voice' || undefined,
    location: places?.replace(/^#/, '').replaceAll('#', ' / ') || undefined,
  };
}

/** `Aruba-User-Vlan`. One for telephones is another's, and one for all that leaves a port holds a flag, too (RFC 4675). */
const VLAN_FIELD = /^(?!.*(?:egress|vo(?:ice|ip))).*vlan(?:-?id|-?name)?$/;

/** A device has several IPv6 addresses. That of the link alone, which often stands first, leads nowhere. */
function readIpAddress(texts: Texts): string | undefined {
  const all = texts.get('framed-ipv6-address') ?? '';
  const [routed] = /(?<![^\s,])(?!fe[89ab])[^\s,]+/i.exec(all) ?? [];
  const address = texts.get('framed-ip-address');
  return (address === '0.0.0.0' && routed) || address || routed || all.split(/[\s,]/, 1)[0] || undefined;
}

export function readNetworkDevice(texts: Texts): NetworkDevice {
  const name = texts.get('network-device-name');
  const networkAddress =
    texts.get('nas-ip-address') ?? texts.get('device-ip-address') ?? texts.get('nas-ipv6-address');
  if (name === 'DefaultNetworkDevice')
    return { networkDevice: networkAddress ?? name, networkAddress, isUnlisted: true };
  return { networkDevice: name ?? networkAddress, networkAddress };
}

/** Wi-Fi, VPN or a login to the network device itself: each only where the record shows it, else the device is wired. */
function readMedium(texts: Texts) {
  // The NAC's own word, such as `WirelessMAB`, stands in for the port's type.
  const type = texts.get('nas-port-type') ?? texts.get('radiusflowtype');
  const service = texts.get('service-type') ?? '';
  const port = texts.get('nas-port-id') ?? '';
  const called = texts.get('called-station-id') ?? '';
  const own = texts.get('ssid'); // The NAC copies the former to it, by wire too.
  const isField = textOf(WIFI_FIELD, texts) !== undefined || (own ?? called) !== called;
  const isWifi =
    type === undefined ? isField || /^(?:capwap|dot11radio|wlan)/i.test(port) : /wireless/i.test(type);
  const wifi = isWifi ? readWifi(called, own, texts) : undefined;
  const group = texts.get(`${VPN}tunnel-group-name`);
  const isVpn = group || texts.has(`${VPN}client-type`) || texts.has('tunnel-client-endpoint');
  const station = readIpWord(texts.get('calling-station-id') ?? '');
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
function readWifi(called: string, own: string | undefined, texts: Texts): SessionRecord['wifi'] {
  const [, accessPoint, name] = CALLED.exec(called) ?? [];
  const hosts = [texts.get('network-device-name'), texts.get('nas-identifier')].map(hostOf);
  const behind = name && !hosts.includes(hostOf(name)) ? name : undefined;
  return { ssid: textOf(SSID_FIELD, texts) ?? behind ?? own, accessPoint };
}

/** An access point's address or name, then the network's name. A name alone could be either. */
const CALLED = /^((?:[0-9a-f]{2}[:-]?){5}[0-9a-f]{2}(?=:|$)|[^:]{1,200}(?=:))(?::(.*))?$/is;

const hostOf = (name?: string) => name?.toLowerCase().split('.', 1)[0];

function readTimes(texts: Texts) {
  const since = texts.get('auth-acs-timestamp') ?? texts.get('acs-timestamp');
  const lastSignAt = Math.max(timeOf(since) ?? 0, timeOf(texts.get('acct-acs-timestamp')) ?? 0);
  const status = texts.get('acct-status-type')?.toLowerCase();
  const isAccountingAlone = readPassed(texts) === undefined && since === undefined && status !== undefined;
  return {
    since,
    lastSignAt: lastSignAt || undefined,
    isAccountingAlone: isAccountingAlone || undefined,
    ended: status === 'stop' ? readEnd(texts, since, isAccountingAlone) : undefined,
  };
}

/**
 * A stop ends the session with its own id, and no older one. `stopped` is unreliable, so it decides only if a time is missing.
 * In a record of accounting alone, the stop decides. Two times without a zone are in the same one.
 */
function readEnd(texts: Texts, begun = '', isAlone = false): SessionEnd | undefined {
  const id = texts.get('audit-session-id')?.toLowerCase();
  const stoppedId = (texts.get('cpmsessionid') ?? texts.get('cpmsession-id'))?.toLowerCase();
  if (id !== undefined && stoppedId !== undefined && id !== stoppedId) return undefined;
  const at = texts.get('acct-acs-timestamp');
  const isZoned = timeOf(at) !== undefined && timeOf(begun) !== undefined;
  const [stop, begin] = isZoned ? [timeOf(at), timeOf(begun)] : [unzoned(at), unzoned(begun)];
  const isTimed = stop !== undefined && begin !== undefined;
  const isEnded = isAlone || (isTimed ? stop >= begin : readFlag(texts.get('stopped')));
  const seconds = readNumber(texts.get('acct-session-time'));
  return isEnded ? { at, cause: texts.get('acct-terminate-cause'), seconds } : undefined;
}
