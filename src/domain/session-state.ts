/** A session's texts by name: its elements, or its attributes. */
export type Texts = ReadonlyMap<string, string>;
/** When a session ended, as the NAC wrote it (ISO 8601), and why. */
export type SessionEnd = { at?: string | undefined; cause?: string | undefined };
/** A portal's kind, by Cisco ISE's `action` of a `url-redirect`. */
export type Portal = 'web login' | 'posture' | 'onboarding' | 'device management' | 'portal';

/** Where a device stands, by everything that its record says. */
export type SessionState =
  | { kind: 'rejected' }
  | ({ kind: 'ended' } & SessionEnd)
  /** Let in, but kept apart. */
  | { kind: 'quarantined'; by?: string | undefined }
  /** Until the device or its user has done something. */
  | { kind: 'redirected'; to: Portal }
  | { kind: 'posture pending' }
  | { kind: 'not compliant' }
  | { kind: 'connected' }
  /** The NAC did not say whether it let the device in. */
  | { kind: 'unknown' };

type Signs = Partial<ReturnType<typeof readSigns>>;

export function stateOf({ passed, ended, quarantine, portal, posture }: Signs): SessionState {
  if (passed === false) return { kind: 'rejected' };
  if (ended) return { kind: 'ended', ...ended };
  if (quarantine) return { kind: 'quarantined', ...quarantine };
  if (portal) return { kind: 'redirected', to: portal };
  const plain = posture?.toLowerCase().replace(/[^a-z]/g, '');
  if (plain === 'pending') return { kind: 'posture pending' };
  if (plain === 'noncompliant' || plain === 'notcompliant') return { kind: 'not compliant' };
  return { kind: passed ? 'connected' : 'unknown' };
}

/** Reads what a session says of its state from its elements and attributes. Texts are foreign. */
export function readSigns(session: Texts, attributes: Texts) {
  return {
    passed: readFlag(session.get('passed')) ?? (readFlag(session.get('failed')) === true ? false : undefined),
    /** Undefined while the session lasts. */
    ended: readEnd(session),
    /** `by` names the policy, profile or rule that says "quarantine". */
    quarantine: readQuarantine(session, attributes),
    portal: readPortal(session),
    posture:
      attributes.get('PostureStatus') ??
      session.get('posture_status') ??
      session.get('nac_policy_compliance'),
  };
}

/** Reads a time of the NAC (milliseconds since 1970); undefined if it is missing or in an unknown form. */
export function timeOf(text = ''): number | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** `true` and `false`, in newer builds `1` and `0`. */
export function readFlag(text: string | undefined): boolean | undefined {
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

function saysQuarantine(text = ''): boolean {
  return QUARANTINE.test(text);
}
