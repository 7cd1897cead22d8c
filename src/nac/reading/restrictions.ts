import type { Compliance, Portal, Quarantine, Restriction, SessionRecord } from '../../domain/session.ts';
import { isKnown, type SessionTexts, type Texts, textOf } from './texts.ts';

/** Cisco ISE's page for lost and stolen devices: `/blackhole/blackhole.jsp`, later `/blacklistportal` or `/blockedportal`. */
const BLOCKED_PAGE = /(?<!\/)\/(?:black|block)/i;

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
    const isListed = readGroups(session).some((group) => /^(?:blacklist|blocked list)$/i.test(group));
    if (isListed || BLOCKED_PAGE.test(address)) return 'blocked';
    if (/[?&]type=drw(?![\w-])/i.test(address)) return 'hotspot';
    const [, action = ''] = /[?&]action=([a-z]{1,20})(?![\w-])/i.exec(address) ?? [];
    return PORTALS.get(action.toLowerCase()) ?? 'portal';
  }
  return undefined;
}

/** `User Identity Groups:Staff (day),Unknown` is `Staff (day)`. */
export const readGroups = (session: Texts): string[] =>
  (session.get('identity_group') ?? '').split(',').flatMap((path) => {
    const group = path.slice(path.lastIndexOf(':') + 1).trim();
    return isKnown(group) ? group : [];
  });

/** A person or another system puts a policy of Cisco's Adaptive Network Control (ANC) on a device, or its older status (EPS). */
export function readRestrictions({ session, attributes }: SessionTexts): Restriction[] {
  const put: Restriction[] = [];
  const policy = textOf(/^anc[-_ ]?policy$/, attributes, session);
  const status = textOf(/^eps[-_ ]?status$/, attributes, session);
  if (policy) put.push({ as: 'ANC policy', name: policy });
  if (status) put.push({ as: 'EPS status', name: status });
  return put;
}

/** A policy that is put on the device says it anywhere. Other names are chosen freely, so they must begin with it. */
export function readQuarantine(record: SessionRecord): Quarantine | undefined {
  const { restrictions = [], authorizationProfiles = '', rule, securityGroup, identityGroup = '' } = record;
  const [first] = restrictions;
  if (first && restrictions.some(({ name }) => saysQuarantine(name))) return { as: first.as, by: first.name };
  const names = [
    ['profile', authorizationProfiles.split(',')],
    ['rule', [rule]],
    ['security group', [securityGroup]],
    ['identity group', identityGroup.split(',')],
  ] as const;
  for (const [as, each] of names)
    for (const by of each) if (isQuarantine(by?.trim())) return { as, by: by?.trim() };
  return undefined;
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
