import { ATTRIBUTES, type Texts } from './nac-body.ts';

/** A portal's kind, by the `action` or the page of Cisco ISE's `url-redirect`. */
export type Portal = 'web login' | 'posture' | 'onboarding' | 'device management' | 'portal' | 'blocked';

/** Cisco ISE's page for lost and stolen devices: `/blackhole/blackhole.jsp`, later `/blacklistportal`. */
const BLOCKED_PAGE = /\/(?:blackhole|black-?list|blocked-?list)/i;

export function readPortal(session: Texts): Portal | undefined {
  for (const name of ['response', ...ATTRIBUTES]) {
    const text = session.get(name) ?? '';
    const at = text.search(/url-redirect=/i);
    if (at === -1) continue;
    const redirect = text.slice(at, at + 4096).replaceAll('&amp;', '&');
    const [address = ''] = redirect.split(/[\s,;"'}]|:!:/, 1);
    const [, action = ''] = /[?&]action=([a-z]{1,20})/i.exec(address) ?? [];
    const group = session.get('identity_group')?.split(':').at(-1) ?? '';
    if (/^(?:blacklist|blocked list)$/i.test(group) || BLOCKED_PAGE.test(address)) return 'blocked';
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

/** A policy of Cisco's Adaptive Network Control (ANC) was put on the device by a person or another system. */
export type Quarantine = {
  by?: string | undefined;
  as?: 'ANC policy' | 'profile' | 'rule' | 'security group';
};

export function readQuarantine(session: Texts, attributes: Texts): Quarantine | undefined {
  const policy = attributes.get('ANCPolicy');
  const profiles = session.get('selected_azn_profiles')?.split(',') ?? [];
  const named = [
    ['ANC policy', policy],
    ...profiles.map((name) => ['profile', name] as const),
    ['rule', attributes.get('AuthorizationPolicyMatchedRule')],
    ['security group', session.get('cts_security_group')],
  ] as const;
  for (const [as, by] of named) if (saysQuarantine(by)) return { as, by: by?.trim() };
  return saysQuarantine(attributes.get('EPSStatus')) ? { as: 'ANC policy', by: policy } : undefined;
}

/** Not "unquarantined", "non-quarantine" or "quarantine exempt". */
const QUARANTINE =
  /(?<!(?:un|non?|not)[ _-]?)quarantined?(?![ _-]?(?:exempt|exception|bypass|free|release|off))/i;
const saysQuarantine = (text = '') => QUARANTINE.test(text);
