import { type Access, readAccess } from './session-access.ts';
import {
  type Held,
  readEnd,
  readFlag,
  readHeld,
  readQuarantine,
  type SessionEnd,
  timeOf,
} from './session-signs.ts';
import { readAttributes, readElements } from './session-xml.ts';

/** A session in the network engineer's words; a field is undefined if the NAC did not say it. Values are foreign text. */
export type SessionRecord = Access & {
  /** Whether the device was let in. */
  passed?: boolean | undefined;
  /** The session's end; undefined while it lasts. */
  ended?: SessionEnd | undefined;
  /** An adaptive network control policy, a profile or a rule says "quarantine". */
  quarantine?: { by?: string | undefined } | undefined;
  /** The NAC redirects the device. */
  held?: Held | undefined;
  user?: string | undefined;
  /** What the device is known by: a MAC address in any spelling; for a VPN, an IP address. */
  station?: string | undefined;
  /** IPv4, or IPv6 if only IPv6 is known. */
  ipAddress?: string | undefined;
  authorizationProfiles?: string | undefined;
  policySet?: string | undefined;
  rule?: string | undefined;
  endpointProfile?: string | undefined;
  identityGroup?: string | undefined;
  posture?: string | undefined;
  failureReason?: string | undefined;
  /** The codes of the steps that the NAC took. */
  steps?: readonly string[] | undefined;
  /** When the session was authenticated, as the NAC wrote it (ISO 8601). */
  since?: string | undefined;
  /** The newest time of authentication and accounting (milliseconds since 1970). */
  lastSignAt?: number | undefined;
};

/**
 * Reads the record of a `<sessionParameters>` body; element names are Cisco ISE's (Session/MACAddress of its monitoring
 * API). If the XML is not well-formed, the record holds what could be read, perhaps nothing.
 */
export function readRecord(xml: string): SessionRecord {
  const elements = readElements(xml, 'sessionParameters');
  const session = withoutUnknown(elements);
  const attributes = withoutUnknown(readAttributes(elements));
  const since = session.get('auth_acs_timestamp') ?? session.get('acs_timestamp');
  return {
    passed: readFlag(session.get('passed')) ?? (readFlag(session.get('failed')) === true ? false : undefined),
    ended: readEnd(session),
    quarantine: readQuarantine(session, attributes),
    held: readHeld(session),
    user: session.get('user_name'),
    station: session.get('calling_station_id'),
    ipAddress: session.get('framed_ip_address') ?? session.get('framed_ipv6_address'),
    ...readAccess(session, attributes),
    authorizationProfiles: session.get('selected_azn_profiles'),
    policySet: attributes.get('ISEPolicySetName'),
    rule: attributes.get('AuthorizationPolicyMatchedRule'),
    endpointProfile: session.get('endpoint_policy') ?? attributes.get('EndPointMatchedProfile'),
    identityGroup: session.get('identity_group'),
    posture:
      attributes.get('PostureStatus') ??
      session.get('posture_status') ??
      session.get('nac_policy_compliance'),
    failureReason: session.get('failure_reason'),
    steps: session.get('execution_steps')?.split(/[\s,]+/),
    since,
    lastSignAt: newest(since, session.get('acct_acs_timestamp')),
  };
}

function newest(...texts: ReadonlyArray<string | undefined>): number | undefined {
  const times = texts.map(timeOf).filter((time) => time !== undefined);
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** The NAC writes "Unknown" where it knows nothing. */
function withoutUnknown(texts: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...texts].filter(([, text]) => text.length !== 7 || text.toLowerCase() !== 'unknown'));
}
