import type { Compliance, Portal, Quarantine, Restriction } from '../../domain/session.ts';
import { type SessionTexts, textOf } from './texts.ts';

/** Cisco ISE's page for lost and stolen devices: `/blackhole/blackhole.jsp`, later `/blacklistportal`. */
const BLOCKED_PAGE = /\/(?:blackhole|black-?list|blocked-?list)/i;

/** Attributes for portals differ by maker (`url-redirect`, `HPE-Captive-Portal-URL`, `Juniper-CWA-Redirect`): the name's words tell. */
const PORTAL_NAME = /redirect|^(?=.*ur[li]).*(?:captive|portal|web-|webauth|login|guest)/;

const PORTALS: ReadonlyMap<string, Portal> = new Map([
  ['cwa', 'web login'],
  ['cpp', 'posture'],
  ['nsp', 'onboarding'],
  ['mdm', 'device management'],
]);

/** The attributes of the NAC's response go before those of the switch's request. */
export function readPortal({ session, attributes, assigned }: SessionTexts): Portal | undefined {
  for (const [name, text] of [...assigned, ...attributes]) {
    if (!/^https?:\/\//i.test(text) || !PORTAL_NAME.test(name.slice(0, 100))) continue;
    const [address = ''] = text.slice(0, 4096).split(/[\s,;"'}]/, 1);
    const isListed = /(?:^|:)(?:blacklist|blocked list)$/i.test(session.get('identity_group') ?? '');
    if (isListed || BLOCKED_PAGE.test(address)) return 'blocked';
    if (/[?&]type=drw(?![\w-])/i.test(address)) return 'hotspot';
    const [, action = ''] = /[?&]action=([a-z]{1,20})(?![\w-])/i.exec(address) ?? [];
    return PORTALS.get(action.toLowerCase()) ?? 'portal';
  }
  return undefined;
}

/** Values that stand for no policy. */
const NOTHING = /^(?:none|n\/?a|null|false|no|0|-|)$/i;

/** A person or another system puts a policy of Cisco's Adaptive Network Control (ANC) on a device, or its older status (EPS). */
export function readRestrictions({ session, attributes }: SessionTexts): Restriction[] {
  const put: Restriction[] = [];
  const policy = textOf(/^anc[-_ ]?policy$/, attributes, session) ?? '';
  const status = textOf(/^eps[-_ ]?status$/, attributes, session) ?? '';
  if (!NOTHING.test(policy)) put.push({ as: 'ANC policy', name: policy });
  if (!NOTHING.test(status)) put.push({ as: 'EPS status', name: status });
  return put;
}

/** A policy that is put on the device says it anywhere. Other names are chosen freely, so they must begin with it. */
export function readQuarantine(
  { session, attributes }: SessionTexts,
  securityGroup: string | undefined,
  restrictions: readonly Restriction[],
): Quarantine | undefined {
  const [first] = restrictions;
  if (first && restrictions.some(({ name }) => saysQuarantine(name))) return { as: first.as, by: first.name };
  for (const name of session.get('selected_azn_profiles')?.split(',') ?? [])
    if (isQuarantine(name.trim())) return { as: 'profile', by: name.trim() };
  const rule = attributes.get('authorizationpolicymatchedrule');
  if (isQuarantine(rule)) return { as: 'rule', by: rule };
  if (isQuarantine(securityGroup)) return { as: 'security group', by: securityGroup };
  const group = session.get('identity_group')?.split(':').at(-1);
  return isQuarantine(group) ? { as: 'identity group', by: group } : undefined;
}

const isQuarantine = (name = '') => /^quarantine/i.test(name) && saysQuarantine(name);

const DENIALS = /^(?:no[nt]?|un|off|free|without|(?:exempt|except|excl|pass|check|releas|bypass)\w*)$/;

function saysQuarantine(name: string): boolean {
  const words = name
    .slice(0, 200)
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  return words.some((word) => /^quarantine/.test(word)) && !words.some((word) => DENIALS.test(word));
}

const COMPLIANCES = new Map<string, Compliance>([
  ['noncompliant', 'not compliant'],
  ['notcompliant', 'not compliant'],
  ['pending', 'pending'],
  ['compliant', 'compliant'],
]);
const WORST_FIRST = ['not compliant', 'pending', 'compliant', undefined] as const;

/** Reads the NAC's word for the posture, and its meaning. The worst counts where the names of a posture differ. */
export function readPosture({ session, attributes }: SessionTexts) {
  let [posture, compliance]: [string?, Compliance?] = [];
  for (const each of [
    attributes.get('posturestatus'),
    attributes.get('postureassessmentstatus'),
    session.get('posture_status'),
    session.get('posture_assessment_status'),
    session.get('nac_policy_compliance'),
  ]) {
    if (each === undefined) continue;
    const meaning = COMPLIANCES.get(
      each
        .slice(0, 50)
        .toLowerCase()
        .replace(/[^a-z]/g, ''),
    );
    const isWorse = WORST_FIRST.indexOf(meaning) < WORST_FIRST.indexOf(compliance);
    if (posture === undefined || isWorse) [posture, compliance] = [each, meaning];
  }
  return { posture, compliance };
}
