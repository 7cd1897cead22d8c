import { readElements, readItems } from './nac-body.ts';

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
    passed: readFlag(session.get('passed')) ?? (readFlag(session.get('failed')) ? false : undefined),
    /** Undefined while the session lasts. */
    ended: readEnd(session),
    /** `by` names the policy, profile or rule that says "quarantine". */
    quarantine: readQuarantine(session, attributes),
    portal: readPortal(session),
    posture:
      attributes.get('PostureStatus') ??
      session.get('posture_status') ??
      session.get('nac_policy_compliance'),
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

const found = (pattern: RegExp, text: string) => pattern.exec(text)?.[1];

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

/** `at`: milliseconds since 1970. `failureReason`: a code and words, or either. */
function readAttempt(passed: boolean, texts: Texts) {
  return {
    passed,
    at: timeOf(texts.get('acs_timestamp')),
    failureReason: passed ? undefined : texts.get('failure_reason'),
    user: texts.get('user_name'),
    networkDevice: texts.get('network_device_name') ?? texts.get('nas_ip_address'),
    port: texts.get('nas_port_id'),
    authorizationProfiles: texts.get('selected_azn_profiles'),
  };
}

/** A session's texts by name: its elements, or its attributes. */
type Texts = ReadonlyMap<string, string>;
/** When a session ended, as the NAC wrote it (ISO 8601), and why. */
export type SessionEnd = { at?: string | undefined; cause?: string | undefined };
/** A portal's kind, by Cisco ISE's `action` of a `url-redirect`. */
export type Portal = 'web login' | 'posture' | 'onboarding' | 'device management' | 'portal';

/** Where a device stands, by everything that its record says. */
export type SessionState =
  | ({ kind: 'ended' } & SessionEnd)
  /** Let in, but kept apart. */
  | { kind: 'quarantined'; by?: string | undefined }
  /** Until the device or its user has done something. */
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

/** Reads a time of the NAC (milliseconds since 1970); undefined if it is missing or in an unknown form. */
export function timeOf(text = ''): number | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** `true` and `false`, in newer builds `1` and `0`. */
function readFlag(text: string | undefined): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/** A stop older than the authentication ended another session. `stopped` lies, so it decides only if a time is missing. */
function readEnd(session: Texts): SessionEnd | undefined {
  if (session.get('acct_status_type')?.toLowerCase() !== 'stop') return undefined;
  const at = session.get('acct_acs_timestamp');
  const [stopped, begun] = [timeOf(at), timeOf(session.get('auth_acs_timestamp'))];
  const isTimed = stopped !== undefined && begun !== undefined;
  const isEnded = isTimed ? stopped >= begun : readFlag(session.get('stopped'));
  return isEnded ? { at, cause: session.get('acct_terminate_cause') } : undefined;
}

/** The redirection of a device that must do something first stands in `response` or in the attributes. */
function readPortal(session: Texts): Portal | undefined {
  for (const name of ['response', 'other_attr_string', 'other_attributes']) {
    const text = session.get(name) ?? '';
    const at = text.search(/url-redirect=/i);
    if (at === -1) continue;
    const redirect = text.slice(at, at + 4096).replaceAll('&amp;', '&');
    const [address = ''] = redirect.split(/[\s,;"'}]|:!:/, 1);
    const [, action = ''] = /[?&]action=([a-z]{1,20})/i.exec(address) ?? [];
    return PORTALS.get(action.toLowerCase()) ?? 'portal';
  }
  return undefined;
}

const PORTALS: ReadonlyMap<string, Portal> = new Map([
  ['cwa', 'web login'],
  ['cpp', 'posture'],
  ['nsp', 'onboarding'],
  ['mdm', 'device management'],
]);

function readQuarantine(session: Texts, attributes: Texts): { by?: string | undefined } | undefined {
  const policy = attributes.get('ANCPolicy');
  const profiles = session.get('selected_azn_profiles')?.split(',') ?? [];
  const names = [policy, ...profiles, attributes.get('AuthorizationPolicyMatchedRule')];
  const by = names.find(saysQuarantine)?.trim();
  if (by !== undefined) return { by };
  return saysQuarantine(attributes.get('EPSStatus')) ? { by: policy } : undefined;
}

/** Not "unquarantined", "non-quarantine" or "quarantine exempt". */
const QUARANTINE =
  /(?<!(?:un|non?|not)[ _-]?)quarantined?(?![ _-]?(?:exempt|exception|bypass|free|release|off))/i;
const saysQuarantine = (text = '') => QUARANTINE.test(text);
