import type { Compliance, Portal, Quarantine, Restriction } from '../../domain/session.ts';
import type { Texts } from './xml.ts';

/** Cisco ISE's page for lost and stolen devices: `/blackhole/blackhole.jsp`, later `/blacklistportal`. */
const BLOCKED_PAGE = /\/(?:blackhole|black-?list|blocked-?list)/i;

/** Attributes for portals differ by maker (`url-redirect`, `HPE-Captive-Portal-URL`, `WISPr-Redirection-URL`): the name's words tell. */
const PORTAL_NAME = /^(?=.*ur[li])(?=.*(?:redirect|captive|portal|web-))/;

/** @param given the attributes of the NAC's response, then of the switch's request */
export function readPortal(session: Texts, ...given: readonly Texts[]): Portal | undefined {
  const named = given.flatMap((texts) => [...texts].filter(([name]) => PORTAL_NAME.test(name.slice(0, 100))));
  const [, found = ''] = named.find(([, value]) => /^https?:\/\//i.test(value)) ?? [];
  if (found === '') return undefined;
  const [address = ''] = found.slice(0, 4096).split(/[\s,;"'}]/, 1);
  const [action = '', type] = ['action', 'type'].map((name) => parameterOf(address, name));
  const group = session.get('identity_group')?.split(':').at(-1) ?? '';
  if (/^(?:blacklist|blocked list)$/i.test(group) || BLOCKED_PAGE.test(address)) return 'blocked';
  if (type === 'drw') return 'hotspot';
  return PORTALS.get(action) ?? 'portal';
}

const parameterOf = (address: string, name: string) =>
  new RegExp(`[?&]${name}=([a-z]{1,20})(?![\\w-])`, 'i').exec(address)?.[1]?.toLowerCase();

const PORTALS: ReadonlyMap<string, Portal> = new Map([
  ['cwa', 'web login'],
  ['cpp', 'posture'],
  ['nsp', 'onboarding'],
  ['mdm', 'device management'],
]);

/** Values that stand for no policy. */
const NOTHING = /^(?:none|n\/?a|null|false|no|0|-|)$/i;

/** A person or another system puts a policy of Cisco's Adaptive Network Control (ANC) on a device, or its older status (EPS). */
export function readRestrictions(session: Texts, attributes: Texts): Restriction[] | undefined {
  const named = [
    { as: 'ANC policy', name: attributes.get('ancpolicy') ?? session.get('anc_policy') },
    { as: 'EPS status', name: attributes.get('epsstatus') ?? session.get('eps_status') },
  ] as const;
  const put = named.flatMap(({ as, name = '-' }) => (NOTHING.test(name) ? [] : [{ as, name }]));
  return put.length > 0 ? put : undefined;
}

/** A policy that is put on the device says it anywhere. Other names are chosen freely, so they must begin with it. */
export function readQuarantine(session: Texts, attributes: Texts): Quarantine | undefined {
  const restrictions = readRestrictions(session, attributes) ?? [];
  const [first] = restrictions;
  if (first && restrictions.some(({ name }) => saysQuarantine(name))) return { as: first.as, by: first.name };
  const profiles = session.get('selected_azn_profiles')?.split(',') ?? [];
  const named = [
    ...profiles.map((name) => ['profile', name.trim()] as const),
    ['rule', attributes.get('authorizationpolicymatchedrule')],
    ['security group', session.get('cts_security_group') ?? session.get('security_group')],
    ['identity group', session.get('identity_group')?.split(':').at(-1)],
  ] as const;
  const [as, by] = named.find(([, name = '']) => /^quarantine/i.test(name) && saysQuarantine(name)) ?? [];
  return as && { as, by };
}

const DENIALS = /^(?:no[nt]?|un|off|free|without|(?:exempt|except|excl|pass|check|releas|bypass)\w*)$/;

/** Holds if a name's words include "quarantine", and none that denies it. */
function saysQuarantine(name = ''): boolean {
  const words = name
    .slice(0, 200)
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  return words.some((word) => /^quarantine/.test(word)) && !words.some((word) => DENIALS.test(word));
}

/** Every name under which Cisco ISE writes a posture. */
const POSTURES = ['posturestatus', 'postureassessmentstatus'];
const POSTURE_ELEMENTS = ['posture_status', 'posture_assessment_status', 'nac_policy_compliance'];

/** Reads the NAC's word for the posture, and its meaning. The worst counts where its names differ. */
export function readPosture(session: Texts, attributes: Texts) {
  const words = [
    ...POSTURES.map((name) => attributes.get(name)),
    ...POSTURE_ELEMENTS.map((name) => session.get(name)),
  ].filter((word) => word !== undefined);
  const read = words.map((word) => ({ posture: word, compliance: complianceOf(word) }));
  const worst = COMPLIANCES.map((each) => read.find(({ compliance }) => compliance === each)).find(Boolean);
  return worst ?? read[0] ?? { posture: undefined, compliance: undefined };
}

const COMPLIANCES: readonly Compliance[] = ['not compliant', 'pending', 'compliant'];

function complianceOf(word: string): Compliance | undefined {
  const plain = word
    .slice(0, 50)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  if (/^no[nt]compliant$/.test(plain)) return 'not compliant';
  return plain === 'pending' || plain === 'compliant' ? plain : undefined;
}
