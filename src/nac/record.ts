import { readAttributes } from './attributes.ts';
import { readElements, type Take } from './session-xml.ts';

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
  authorizationProfiles?: string | undefined;
  policySet?: string | undefined;
  rule?: string | undefined;
  endpointProfile?: string | undefined;
  posture?: string | undefined;
  failureReason?: string | undefined;
  /** When the session was authenticated, as the NAC wrote it (ISO 8601). */
  since?: string | undefined;
};

/** What a record is made of; element names are Cisco ISE's (Session/MACAddress of its monitoring API). */
const ELEMENTS = [
  'passed',
  'failed',
  'user_name',
  'nas_ip_address',
  'called_station_id',
  'nas_port_id',
  'network_device_name',
  'framed_ip_address',
  'framed_ipv6_address',
  'selected_azn_profiles',
  'posture_status',
  'failure_reason',
  'auth_acs_timestamp',
  'other_attr_string',
  'other_attributes',
] as const;
const ATTRIBUTES = [
  'ANCPolicy',
  'AuthorizationPolicyMatchedRule',
  'Called-Station-ID',
  'EPSStatus',
  'EndPointMatchedProfile',
  'ISEPolicySetName',
  'PostureStatus',
  'cisco-wlan-ssid',
] as const;

/**
 * The labelled record of a `<sessionParameters>` body. Where the XML is not well-formed it holds what could be read,
 * down to nothing.
 */
export function readRecord(xml: string): SessionRecord {
  const session = firstOf(ELEMENTS, (take) => readElements(xml, 'sessionParameters', take));
  const attribute = firstOf(ATTRIBUTES, (take) => readAttributes(session, take));
  const quarantine = [
    attribute('ANCPolicy'),
    attribute('EPSStatus'),
    attribute('AuthorizationPolicyMatchedRule'),
  ];
  const isQuarantined = [session('selected_azn_profiles'), ...quarantine].some(saysQuarantine);
  return {
    passed: readFlag(session('passed')) ?? (readFlag(session('failed')) === true ? false : undefined),
    quarantined: isQuarantined || undefined,
    user: session('user_name'),
    ipAddress: session('framed_ip_address') ?? session('framed_ipv6_address'),
    networkDevice: session('network_device_name') ?? session('nas_ip_address'),
    port: session('nas_port_id'),
    ssid:
      readSsid(session('called_station_id') ?? attribute('Called-Station-ID')) ??
      attribute('cisco-wlan-ssid'),
    authorizationProfiles: session('selected_azn_profiles'),
    policySet: attribute('ISEPolicySetName'),
    rule: attribute('AuthorizationPolicyMatchedRule'),
    endpointProfile: attribute('EndPointMatchedProfile'),
    posture: attribute('PostureStatus') ?? session('posture_status'),
    failureReason: session('failure_reason'),
    since: session('auth_acs_timestamp'),
  };
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

/**
 * What is said under some names, the first of each. A Map of all that is said takes longer, since V8 enters each foreign name
 * into its table of strings first.
 */
function firstOf<Name extends string>(
  names: readonly Name[],
  read: (take: Take) => void,
): (name: Name) => string | undefined {
  const values: Array<string | undefined> = [];
  read((name, value) => {
    const index = names.indexOf(name as Name);
    if (index !== -1) values[index] ??= value;
  });
  return (name) => values[names.indexOf(name)];
}
