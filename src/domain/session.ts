/** A NAC's record of one session, in the network engineer's words. Missing: the NAC did not say it. Texts are untrusted. */
export type SessionRecord = Optional<{
  passed: boolean;
  /** The code of the NAC's last message about the session, such as 5200. */
  messageCode: string;
  /** When the session ended, as the NAC wrote it (ISO 8601), why, and how long it lasted. Missing while it lasts. */
  ended: Optional<{ at: string; cause: string; seconds: number }>;
  /** The policies of Cisco's Adaptive Network Control (ANC, once EPS) that a person or another system put on the device. */
  ancPolicy: string;
  epsStatus: string;
  quarantine: Quarantine;
  portal: Portal;
  compliance: 'compliant' | 'not compliant' | 'pending';
  user: string;
  /** The device's own address: a MAC address in any spelling; for a VPN, an IP address. */
  station: string;
  ipAddress: string;
  /** The network device's name, else its address. */
  networkDevice: string;
  networkAddress: string;
  /** The NAC has no entry for the network device, so its address alone shows where it is. */
  isUnlisted: boolean;
  port: string;
  /** The NAC's own node that answered. */
  node: string;
  wifi: Optional<{ ssid: string; accessPoint: string }>;
  /** A VPN's tunnel group, and the address that the client dials in from. */
  vpn: Optional<{ group: string; client: string }>;
  vlan: string;
  isVoice: boolean;
  location: string;
  method: string;
  protocol: string;
  /** The half of a chained authentication (EAP-FAST, TEAP) that failed, although the NAC let the device in. */
  chaining: 'user failed' | 'machine failed';
  securityGroup: string;
  securityGroupTag: number;
  accessList: string;
  /** The names of the posture policies that the device failed, at most three. */
  failedPolicies: string;
  /** How long the authentication took, if that was over 3 s, and the step that took the most of it. */
  slow: { ms: number; step: string | undefined };
  authorizationProfiles: string;
  policySet: string;
  rule: string;
  endpointProfile: string;
  identityGroup: string;
  failureReason: string;
  /** Codes of the NAC's steps, in order. */
  steps: readonly string[];
  /** When the session was authenticated, as the NAC wrote it (ISO 8601). */
  since: string;
  /** The newest time of authentication and accounting (milliseconds since 1970). */
  lastSignAt: number;
  /** The serial number of the device's certificate, else its common name. */
  certificate: string;
  /** Days until it ends. */
  certificateDays: number;
  /** The NAC has the session from accounting alone, and nothing of an authentication. */
  isAccountingAlone: boolean;
}>;

type Optional<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

/** `by` says "quarantine", and `as` names its kind. */
export type Quarantine = Optional<{ by: string; as: (typeof QUARANTINES)[number][0] }>;

/** By the `action` of Cisco ISE's redirection. */
type PortalAction = 'web login' | 'posture' | 'onboarding' | 'device management';
/** A portal's kind, by that action or by its page. At a hotspot, people accept terms. */
export type Portal = PortalAction | 'hotspot' | 'portal' | 'blocked';

/** A session's state, by the first rule that applies. `unknown`: the NAC did not say whether it let the device in. */
export function stateOf(record: SessionRecord) {
  const { ended, quarantine, portal, compliance, passed } = record;
  const ending = endingOf(record);
  if (ending !== undefined && ending !== 'passed') return ending;
  if (ended) return 'ended';
  if (quarantine) return 'quarantined';
  // A redirection can outlive the check that it was for.
  if (portal && !(portal === 'posture' && compliance === 'compliant')) return 'redirected';
  if (compliance === 'pending') return 'posture pending';
  if (compliance === 'not compliant') return compliance;
  return passed ? 'connected' : 'unknown';
}

/** A policy that is put on the device says it anywhere. Other names are chosen freely, so they must begin with it. */
export function quarantineOf(record: SessionRecord): Quarantine | undefined {
  for (const [as, field, form] of QUARANTINES)
    for (const name of record[field]?.split(',') ?? []) {
      const by = name.trim();
      if (form.test(by) && saysQuarantine(by)) return { as, by };
    }
  return undefined;
}

const QUARANTINES = [
  ['ANC policy', 'ancPolicy', /^/],
  ['EPS status', 'epsStatus', /^/],
  ['profile', 'authorizationProfiles', /^quarantine/i],
  ['rule', 'rule', /^quarantine/i],
  ['security group', 'securityGroup', /^quarantine/i],
  ['identity group', 'identityGroup', /^quarantine/i],
] as const;

const DENIALS = /^(?:no[nt]?|un|off|free|without|(?:exempt|except|excl|pass|check|releas|bypass)\w*)$/;

function saysQuarantine(name: string): boolean {
  const words = name
    .slice(0, 200)
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  return words.some((word) => /^quarantine/.test(word)) && !words.some((word) => DENIALS.test(word));
}

export const codeOf = (reason: string | undefined) => /^\d{4,6}\b/.exec(reason ?? '')?.[0];

const codesOf = ({ messageCode, failureReason, steps }: SessionRecord) => [
  messageCode,
  failureReason === undefined ? steps?.findLast((step) => step !== '') : codeOf(failureReason),
];

/**
 * `did not finish`: the device stopped or started again. `suppressed`: the NAC did not look at it. Neither was refused.
 * Undefined: the NAC did not say how the authentication ended, or reports something else.
 */
export function endingOf(record: SessionRecord) {
  const codes = codesOf(record);
  if (record.passed === undefined || codes.some((code) => NO_ATTEMPTS.has(code))) return undefined;
  if (record.passed) return 'passed';
  if (codes.some((code) => SUPPRESSIONS.has(code))) return 'suppressed';
  if (codes.some((code) => UNFINISHED.has(code))) return 'did not finish';
  return record.messageCode === undefined && SILENT.has(codes[1]) ? 'did not finish' : 'rejected';
}

/** Whether the device was refused, did not finish or was suppressed. */
export const hasFailed = (record: SessionRecord) => !['passed', undefined].includes(endingOf(record));

/** The code by which the NAC says that it suppresses a device. */
export const suppressionOf = (record: SessionRecord) =>
  codesOf(record).find((code) => SUPPRESSIONS.has(code));

/** Reads a time of the NAC (milliseconds since 1970). Undefined without a zone, or in an unknown form. */
export function timeOf(text = ''): number | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** A number that orders a record's times, also those without a zone, which say no moment. */
export const orderOf = (text = '') => timeOf(text) ?? timeOf(`${text.replace(' ', 'T')}Z`);

/** The most attempts that the NAC is asked for. */
export const MAX_ATTEMPTS = 10;

/** The record of one authentication of a device. */
export type Attempt = SessionRecord & { passed: boolean };

const COMPARED = ['method', 'user', 'certificate', 'node'] as const;
export type Change = 'place' | (typeof COMPARED)[number];

/**
 * Compares two attempts of a device that worked before: the last that passed, and the first after it that failed. Undefined if
 * the newest attempt passed, or none did. @param attempts the newest first
 */
export function turnOf(attempts: readonly Attempt[]) {
  const index = attempts.findIndex((attempt) => attempt.passed);
  const [passed, failed] = [attempts[index], attempts[index - 1]];
  if (passed === undefined || failed === undefined) return undefined;
  const isMoved =
    isElsewhere(passed, failed) ||
    isOther(shortPort(passed), shortPort(failed)) ||
    isOther(passed.wifi?.ssid, failed.wifi?.ssid);
  const others: Change[] = COMPARED.filter((name) => isOther(passed[name], failed[name]));
  return { passed, failed, changed: isMoved ? ['place' as const, ...others] : others };
}

/** Nobody knows whether a missing text differs. */
const isOther = (one = '', other = '') =>
  one !== '' && other !== '' && one.toLowerCase() !== other.toLowerCase();

/** Interfaces are written long and short (`GigabitEthernet1/0/3`, `Gi1/0/3`). On Wi-Fi, it is a new one each time. */
const shortPort = ({ port, wifi }: SessionRecord) =>
  wifi ? undefined : port?.replace(/^([a-z]{2})[a-z]*(?=\d)/i, '$1');

// No name is compared with an address, and no IPv4 address with one of IPv6. Devices of one subnet can share a name.
function isElsewhere(one: SessionRecord, other: SessionRecord): boolean {
  const [address = '', otherAddress = ''] = [one.networkAddress, other.networkAddress];
  const isAlike = address.includes(':') === otherAddress.includes(':');
  if (address !== '' && otherAddress !== '' && isAlike) return isOther(address, otherAddress);
  return isOther(hostOf(one), hostOf(other));
}

const hostOf = ({ networkDevice, networkAddress }: SessionRecord) =>
  networkDevice === networkAddress ? undefined : networkDevice?.split('.', 1)[0];

type Codes = ReadonlySet<string | undefined>;
const SUPPRESSIONS: Codes = new Set(['5434', '5449']);
/** No Access-Reject was sent. */
const UNFINISHED: Codes = new Set(['5411', '5436', '5440', '5441']);
/** The device stopped answering: refused only if the NAC's message says so. */
const SILENT: Codes = new Set(['12930', '12934', '12935', '12937']);
/** Changes of authorization (CoA), which the NAC begins; logins at a portal, and downloads of access lists. */
const NO_ATTEMPTS: Codes = new Set('5205 5417 11213 11214 11215 5231 5418 5232 5419'.split(' '));
