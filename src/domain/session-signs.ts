/** A session's texts by name: its elements, or its attributes. */
type Texts = ReadonlyMap<string, string>;

/** Why the NAC redirects a device: the portal's kind (Cisco ISE's `action` of a `url-redirect`). */
export type Held = 'web login' | 'posture' | 'onboarding' | 'device management' | 'portal';

/** The end of a session: when, as the NAC wrote it (ISO 8601), and why. Both are foreign text. */
export type SessionEnd = { at?: string | undefined; cause?: string | undefined };

/**
 * Reads the end of a session from its accounting. An accounting stop older than the authentication belongs to the session
 * before. The element `stopped` is known to be wrong in either direction, so it decides only if a time is missing.
 */
export function readEnd(session: Texts): SessionEnd | undefined {
  if (session.get('acct_status_type')?.toLowerCase() !== 'stop') return undefined;
  const at = session.get('acct_acs_timestamp');
  const [stopped, begun] = [timeOf(at), timeOf(session.get('auth_acs_timestamp'))];
  const isEnded =
    stopped === undefined || begun === undefined
      ? readFlag(session.get('stopped')) === true
      : stopped >= begun;
  return isEnded ? { at, cause: session.get('acct_terminate_cause') } : undefined;
}

/** The NAC redirects a device that must do something first. The redirection stands in `response` or in the attributes. */
export function readHeld(session: Texts): Held | undefined {
  for (const name of ['response', 'other_attr_string', 'other_attributes']) {
    const text = session.get(name) ?? '';
    const at = text.search(/url-redirect=/i);
    if (at === -1) continue;
    const [address = ''] = text
      .slice(at, at + MOST_REDIRECT_CHARACTERS)
      .replaceAll('&amp;', '&')
      .split(/[\s,;"'}]|:!:/, 1);
    const [, action = ''] = /[?&]action=([a-z]{1,20})/i.exec(address) ?? [];
    return ACTIONS.get(action.toLowerCase()) ?? 'portal';
  }
  return undefined;
}

const MOST_REDIRECT_CHARACTERS = 4096;

const ACTIONS: ReadonlyMap<string, Held> = new Map([
  ['cwa', 'web login'],
  ['cpp', 'posture'],
  ['nsp', 'onboarding'],
  ['mdm', 'device management'],
]);

/** Says whether a policy, profile or rule keeps the device apart, and which. `by` is foreign text. */
export function readQuarantine(session: Texts, attributes: Texts): { by?: string | undefined } | undefined {
  const policy = attributes.get('ANCPolicy');
  const names = [
    policy,
    ...(session.get('selected_azn_profiles')?.split(',') ?? []),
    attributes.get('AuthorizationPolicyMatchedRule'),
  ];
  const by = names.find(saysQuarantine)?.trim();
  if (by !== undefined) return { by };
  return saysQuarantine(attributes.get('EPSStatus')) ? { by: policy } : undefined;
}

/** Not "unquarantined", "non-quarantine" or "quarantine exempt". */
const QUARANTINE =
  /(?<!(?:un|non?|not)[ _-]?)quarantined?(?![ _-]?(?:exempt|exception|bypass|free|release|off))/i;

function saysQuarantine(text: string | undefined): boolean {
  return text !== undefined && QUARANTINE.test(text);
}

/** `true` and `false`, in newer builds `1` and `0`. */
export function readFlag(text: string | undefined): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/** Reads a time of the NAC (milliseconds since 1970); undefined if it is missing or in an unknown form. */
export function timeOf(text: string | undefined): number | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}T/.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
