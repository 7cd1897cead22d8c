import { readElements } from './elements.ts';

/** A session in the network engineer's words; what the NAC did not say is undefined. Values are foreign text. */
export type SessionRecord = {
  /** Whether the device was let in. */
  passed?: boolean | undefined;
  /** Let in, but kept apart: an adaptive network control policy, a profile or a rule says "quarantine". */
  quarantined?: true | undefined;
  user?: string | undefined;
  /** IPv4, or IPv6 where only that is known. */
  ipAddress?: string | undefined;
  /** The switch, access point or controller. */
  networkDevice?: string | undefined;
  port?: string | undefined;
  /** The wireless network's name. */
  ssid?: string | undefined;
  location?: string | undefined;
  identityGroup?: string | undefined;
  method?: string | undefined;
  protocol?: string | undefined;
  authorizationProfiles?: string | undefined;
  policySet?: string | undefined;
  rule?: string | undefined;
  endpointProfile?: string | undefined;
  posture?: string | undefined;
  failureReason?: string | undefined;
  /** When the session was authenticated, as the NAC wrote it (ISO 8601). */
  since?: string | undefined;
};

const ROOT = 'sessionParameters';

/**
 * The labelled record of a `<sessionParameters>` body. Where the XML is not well-formed it holds what could be read,
 * down to nothing. Element names are Cisco ISE's (Session/MACAddress of its monitoring API).
 */
export function readRecord(xml: string): SessionRecord {
  const elements = readElements(xml, ROOT);
  const session = (name: string) => elements.get(name);
  const attributes = readAttributes(elements);
  const quarantine = ['ANCPolicy', 'EPSStatus', 'AuthorizationPolicyMatchedRule'].map((name) =>
    attributes.get(name),
  );
  const isQuarantined = [session('selected_azn_profiles'), ...quarantine].some(saysQuarantine);
  return {
    passed: readFlag(session('passed')) ?? (readFlag(session('failed')) === true ? false : undefined),
    quarantined: isQuarantined || undefined,
    user: session('user_name'),
    ipAddress: session('framed_ip_address') ?? session('framed_ipv6_address'),
    networkDevice: session('network_device_name') ?? session('nas_ip_address'),
    port: session('nas_port_id'),
    ssid:
      readSsid(session('called_station_id') ?? attributes.get('Called-Station-ID')) ??
      attributes.get('cisco-wlan-ssid'),
    location: session('location'),
    identityGroup: session('identity_group'),
    method: session('authentication_method'),
    protocol: session('authentication_protocol'),
    authorizationProfiles: session('selected_azn_profiles'),
    policySet: attributes.get('ISEPolicySetName'),
    rule: attributes.get('AuthorizationPolicyMatchedRule'),
    endpointProfile: attributes.get('EndPointMatchedProfile'),
    posture: attributes.get('PostureStatus') ?? session('posture_status'),
    failureReason: session('failure_reason'),
    since: session('auth_acs_timestamp'),
  };
}

/** What the NAC said under a name of its own. Both are foreign text. */
export type Field = { name: string; value: string };

/** The most fields that are read; a real session has about forty. */
const MAX_FIELDS = 100;

/** All that a `<sessionParameters>` body says, attributes last, the first of a name. */
export function readFields(xml: string): Field[] {
  const elements = readElements(xml, ROOT);
  return [...elements, ...readAttributes(elements)]
    .filter(([name]) => !ATTRIBUTES.includes(name))
    .slice(0, MAX_FIELDS)
    .map(([name, value]) => ({ name, value }));
}

/** But not what was let out of it, or never comes into it. */
const QUARANTINE =
  /(?<!(?:un|non?|not)[ _-]?)quarantined?(?![ _-]?(?:exempt|exception|bypass|free|release|off))/i;

function saysQuarantine(text: string | undefined): boolean {
  return text !== undefined && QUARANTINE.test(text);
}

/** Access points name themselves and the network: `00-11-22-33-44-55:Corp` (RFC 3580, section 3.20). */
function readSsid(calledStation: string | undefined): string | undefined {
  return /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}:(.+)$/i.exec(calledStation ?? '')?.[1];
}

/** `true` and `false`, in newer builds `1` and `0`. */
function readFlag(text: string | undefined): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/** The elements that hold attributes. */
const ATTRIBUTES = ['other_attr_string', 'other_attributes'];

/** `other_attr_string` separates by `:!:`, the older `other_attributes` by commas; keys repeat, the first one counts. */
function readAttributes(elements: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  const read = (pair: string) => {
    const equals = pair.indexOf('=');
    if (equals <= 0) return;
    const name = pair.slice(0, equals).trim();
    const value = pair.slice(equals + 1).trim();
    if (value !== '' && !attributes.has(name)) attributes.set(name, value);
  };
  elements.get('other_attr_string')?.split(':!:').forEach(read);
  elements
    .get('other_attributes')
    ?.split(/,(?=[^,=]+=)/)
    .forEach(read);
  return attributes;
}
