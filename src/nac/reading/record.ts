import { type SessionEnd, type SessionRecord, timeOf, unzoned } from '../../domain/session.ts';
import { type Field, fieldsIn, readAssigned, readAttributes } from './attributes.ts';
import { readIpAddress, readLocation, readMedium, readNetworkDevice, readVlan } from './place.ts';
import { readPortal, readPosture, readQuarantine, readRestrictions } from './restrictions.ts';
import type { TokenTest } from './tokens.ts';
import { readElements, type Texts } from './xml.ts';

const ROOT = 'sessionParameters';

/**
 * Reads the record of a `<sessionParameters>` body; element names are Cisco ISE's (Session/MACAddress of its monitoring
 * API). If the XML is not well-formed, the record holds its readable part, perhaps nothing.
 */
export function readRecord(xml: string): SessionRecord {
  const session = withoutUnknown(readElements(xml, ROOT));
  const attributes = withoutUnknown(readAttributes(session));
  const assigned = readAssigned(session);
  const steps = readSteps(session);
  const messageCode = session.get('message_code');
  const passed = readPassed(session);
  return {
    passed,
    messageCode,
    restrictions: readRestrictions(session, attributes),
    quarantine: readQuarantine(session, attributes),
    portal: readPortal(session, assigned, attributes),
    ...readPosture(session, attributes),
    failedPolicies: readFailedPolicies(attributes.get('posturereport') ?? session.get('posture_report')),
    user: readUser(session),
    station: session.get('calling_station_id'),
    ipAddress: readIpAddress(session),
    ...readNetworkDevice(session),
    port: session.get('nas_port_id'),
    ...readMedium(session, attributes),
    ...readVlan(session, attributes, assigned),
    isVoice: assigned.get('device-traffic-class') === 'voice' || undefined,
    location: readLocation(session.get('location')),
    method: session.get('authentication_method'),
    protocol: session.get('authentication_protocol'),
    chaining: readChaining(attributes.get('eapchainingresult')),
    certificateDays: readNumber(attributes.get('days to expiry')),
    securityGroup: session.get('cts_security_group') ?? session.get('security_group'),
    securityGroupTag: readTag(assigned.get('security-group-tag')),
    // `#ACSACL#-IP-Permit_Printers-57f6b0d3` is `Permit_Printers`.
    accessList: (assigned.get('ciscosecure-defined-acl') ?? session.get('dacl'))
      ?.replace(/^#ACSACL#-IP(?:v6)?-/i, '')
      .replace(/-[0-9a-f]{8}$/i, ''),
    authorizationProfiles: session.get('selected_azn_profiles'),
    policySet: attributes.get('isepolicysetname'),
    rule: attributes.get('authorizationpolicymatchedrule'),
    endpointProfile: session.get('endpoint_policy') ?? attributes.get('endpointmatchedprofile'),
    identityGroup: session.get('identity_group'),
    failureReason: session.get('failure_reason'),
    steps,
    slow: readSlowness(session, attributes, steps),
    ...readTimes(session, attributes, passed),
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

/** The NAC writes "Unknown" for missing values. */
function withoutUnknown(texts: Map<string, string>): Texts {
  for (const [name, text] of texts)
    if (text.length === 7 && text.toLowerCase() === 'unknown') texts.delete(name);
  return texts;
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

/** `StepLatency=1=0;2=14031` counts in milliseconds, and numbers the execution steps from 0. */
function readSlowness(session: Texts, attributes: Texts, codes: readonly string[] = []) {
  const steps = (attributes.get('steplatency') ?? '').split(/\\?;/).flatMap((pair) => {
    const [number, latency] = pair.split('=');
    return readMs(latency).map((stepMs) => ({ ms: stepMs, code: codes[Number(number)] }));
  });
  const [slowest] = steps.toSorted((one, other) => other.ms - one.ms);
  const told = [session.get('response_time'), attributes.get('totalauthenlatency')].flatMap(readMs);
  const ms = Math.max(slowest?.ms ?? 0, ...told);
  return ms > SLOW_MS ? { ms, step: slowest && slowest.ms > ms / 2 ? slowest.code : undefined } : undefined;
}

const readMs = (text = '') => (/^\d{1,9}$/.test(text) ? [Number(text)] : []);

/** Returns the elements of a `<sessionParameters>` body, then its attributes: the first of each name. */
export const readFields = (xml: string): Field[] => fieldsIn(readElements(xml, ROOT));

/** Reads `true` and `false`, in newer builds `1` and `0`. */
export function readPassed(texts: Texts): boolean | undefined {
  const failed = readFlag(texts.get('failed'));
  return readFlag(texts.get('passed')) ?? (failed === undefined ? undefined : !failed);
}

function readFlag(text: string | undefined): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/** The NAC hides the name of a user that it does not know. */
export function readUser(texts: Texts): string | undefined {
  const name = texts.get('user_name');
  return name === 'INVALID' ? undefined : name;
}

export const readSteps = (texts: Texts) => texts.get('execution_steps')?.split(/[\s,]+/);

const readNumber = (text = '') => (/^-?\d{1,9}$/.test(text) ? Number(text) : undefined);

/** A security group's number in hexadecimal digits, then its revision: `0010-0`. */
function readTag(text = ''): number | undefined {
  const [, digits] = /^([0-9a-f]{1,4})-\d{1,2}$/i.exec(text) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

function readTimes(session: Texts, attributes: Texts, passed: boolean | undefined) {
  const since = session.get('auth_acs_timestamp') ?? session.get('acs_timestamp');
  const all = [since, session.get('acct_acs_timestamp')].flatMap((text) => timeOf(text) ?? []);
  const status = session.get('acct_status_type')?.toLowerCase();
  const isAccountingAlone = passed === undefined && since === undefined && status !== undefined;
  return {
    since,
    lastSignAt: all.length > 0 ? Math.max(...all) : undefined,
    isAccountingAlone: isAccountingAlone || undefined,
    ended: status === 'stop' ? readEnd(session, attributes, since, isAccountingAlone) : undefined,
  };
}

/**
 * A stop ends the session with its own id, and no older one. `stopped` is unreliable, so it decides only if a time is missing.
 * In a record of accounting alone, the stop decides. Two times without a zone are in the same one.
 */
function readEnd(
  session: Texts,
  attributes: Texts,
  begun: string | undefined,
  isAlone: boolean,
): SessionEnd | undefined {
  const ids = [
    session.get('audit_session_id'),
    attributes.get('cpmsessionid') ?? session.get('cpmsession_id'),
  ];
  const [own, other = own] = ids.map((id) => id?.toLowerCase());
  if (own !== undefined && own !== other) return undefined;
  const at = session.get('acct_acs_timestamp');
  const isZoned = timeOf(at) !== undefined && timeOf(begun) !== undefined;
  const [stop, begin] = [at, begun].map((text) => (isZoned ? timeOf(text) : unzoned(text)));
  const isTimed = stop !== undefined && begin !== undefined;
  const isEnded = isAlone || (isTimed ? stop >= begin : readFlag(session.get('stopped')));
  const seconds = readNumber(session.get('acct_session_time'));
  return isEnded ? { at, cause: session.get('acct_terminate_cause'), seconds } : undefined;
}
