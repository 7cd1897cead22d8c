import { readFlag, readSigns, type Texts, timeOf } from './session-state.ts';
import { readElements, readItems } from './xml.ts';

/** A session in the network engineer's words; a field is undefined if the NAC did not say it. Values are foreign text. */
export type SessionRecord = Partial<ReturnType<typeof readRecord>>;

/**
 * Reads the record of a `<sessionParameters>` body; element names are Cisco ISE's (Session/MACAddress of its monitoring
 * API). If the XML is not well-formed, the record holds what could be read, perhaps nothing.
 */
export function readRecord(xml: string) {
  const elements = readElements(xml, 'sessionParameters');
  const session = withoutUnknown(elements);
  const attributes = withoutUnknown(readAttributes(elements));
  const since = session.get('auth_acs_timestamp') ?? session.get('acs_timestamp');
  const told = [since, session.get('acct_acs_timestamp')].flatMap((text) => timeOf(text) ?? []);
  const response = session.get('response') ?? ''; // What the NAC told the switch.
  return {
    ...readSigns(session, attributes),
    user: session.get('user_name'),
    /** What the device is known by: a MAC address in any spelling; for a VPN, an IP address. */
    station: session.get('calling_station_id'),
    /** IPv4, or IPv6 if only IPv6 is known. */
    ipAddress: session.get('framed_ip_address') ?? session.get('framed_ipv6_address'),
    networkDevice: session.get('network_device_name') ?? session.get('nas_ip_address'),
    port: session.get('nas_port_id'),
    /** The wireless network's name; undefined for other networks. */
    ssid: readSsid(session, attributes),
    vlan: found(/Tunnel-Private-Group-ID=(?:\(tag=\d{1,3}\))?([^;}]{1,200})/i, response)?.trim() || undefined,
    /** The place of the network device, without the root of all places. */
    location: readLocation(session.get('location')),
    /** `dot1x`, `mab`, `webauth` or the NAC's own word. */
    method: session.get('authentication_method'),
    protocol: session.get('authentication_protocol'),
    securityGroup: session.get('cts_security_group'),
    /** `#ACSACL#-IP-Permit_Printers-57f6b0d3` is `Permit_Printers`. */
    accessList: found(/CiscoSecure-Defined-ACL=([^;}\s]{1,200})/i, response)
      ?.replace(/^#ACSACL#-IP(?:v6)?-/i, '')
      .replace(/-[0-9a-f]{8}$/i, ''),
    authorizationProfiles: session.get('selected_azn_profiles'),
    policySet: attributes.get('ISEPolicySetName'),
    rule: attributes.get('AuthorizationPolicyMatchedRule'),
    endpointProfile: session.get('endpoint_policy') ?? attributes.get('EndPointMatchedProfile'),
    identityGroup: session.get('identity_group'),
    failureReason: session.get('failure_reason'),
    steps: session.get('execution_steps')?.split(/[\s,]+/),
    /** When the session was authenticated, as the NAC wrote it (ISO 8601). */
    since,
    /** The newest time of authentication and accounting (milliseconds since 1970). */
    lastSignAt: told.length > 0 ? Math.max(...told) : undefined,
  };
}

function found(pattern: RegExp, text: string): string | undefined {
  return pattern.exec(text)?.[1];
}

/** The NAC writes "Unknown" where it knows nothing. */
function withoutUnknown(texts: Texts): Texts {
  return new Map([...texts].filter(([, text]) => text.length !== 7 || text.toLowerCase() !== 'unknown'));
}

/** Access points say `00-11-22-33-44-55:Corp` (RFC 3580, section 3.20), and wired switches anything: the port's type decides. */
function readSsid(session: Texts, attributes: Texts): string | undefined {
  const type = session.get('nas_port_type') ?? attributes.get('NAS-Port-Type') ?? '';
  if (!/wireless/i.test(type)) return undefined;
  const station = session.get('called_station_id') ?? attributes.get('Called-Station-ID') ?? '';
  return found(/^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}:(.+)$/i, station) ?? attributes.get('cisco-wlan-ssid');
}

/** `Location#All Locations#Berlin#Floor 2` is `Berlin / Floor 2`; the root alone says nothing. */
function readLocation(text: string | undefined): string | undefined {
  const places = (text ?? '').split('#').filter((place) => !/^(?:Location|All Locations|)$/.test(place));
  return places.length > 0 ? places.join(' / ') : undefined;
}

/** Where attributes stand: in newer versions of the NAC, and in older ones. */
const ATTRIBUTES = ['other_attr_string', 'other_attributes'];

/** Returns a session's attributes by name: the first of each name, without empty values, and without values of no name. */
function readAttributes(elements: Texts): Texts {
  const pairs = ATTRIBUTES.flatMap((name) => {
    const text = elements.get(name) ?? '';
    return text.split(text.includes(':!:') ? ':!:' : /,(?=[^,=]+=)/);
  });
  const attributes = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals)).trim();
    const value = pair.slice(equals + 1).trim();
    if (equals > 0 && value !== '' && !attributes.has(name)) attributes.set(name, value);
  }
  return attributes;
}

/** A value under the NAC's own name for it. Both are foreign text. */
export type Field = { name: string; value: string };

/** Returns the elements of a `<sessionParameters>` body, then its attributes: the first of each name. */
export function readFields(xml: string): Field[] {
  const elements = readElements(xml, 'sessionParameters');
  return [...elements, ...readAttributes(elements)]
    .filter(([name]) => !ATTRIBUTES.includes(name))
    .slice(0, 100) // A real session has about forty.
    .map(([name, value]) => ({ name, value }));
}

/** One authentication of a device; a field is undefined if the NAC did not say it. Texts are foreign. */
export type Attempt = Partial<ReturnType<typeof readAttempt>> & { passed: boolean };

/** Reads the attempts of an `<authStatusOutputList>` (Cisco ISE's AuthStatus/MACAddress), newest first, that passed or failed. */
export function readAttempts(xml: string): Attempt[] {
  return readItems(xml, 'authStatusElements', 20).flatMap((texts) => {
    const failed = readFlag(texts.get('failed'));
    const passed = readFlag(texts.get('passed')) ?? (failed === undefined ? undefined : !failed);
    return passed === undefined ? [] : [readAttempt(passed, texts)];
  });
}

function readAttempt(passed: boolean, texts: Texts) {
  return {
    passed,
    /** Milliseconds since 1970. */
    at: timeOf(texts.get('acs_timestamp')),
    /** Why it failed: a code and words, or either. */
    failureReason: passed ? undefined : texts.get('failure_reason'),
    user: texts.get('user_name'),
    networkDevice: texts.get('network_device_name') ?? texts.get('nas_ip_address'),
    port: texts.get('nas_port_id'),
    authorizationProfiles: texts.get('selected_azn_profiles'),
  };
}
