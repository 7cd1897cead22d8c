import type { Compliance, Portal, Quarantine, Restriction, SessionRecord } from '../../domain/session.ts';
import { isKnown, type Texts, textOf } from './texts.ts';

/** Cisco ISE's page for lost and stolen devices: `/blackhole/blackhole.jsp`, later `/blacklistportal` or `/blockedportal`. */
const BLOCKED_PAGE = /(?<!\/)\/(?:black|block)/i;

/** Attributes for portals differ by maker (`url-redirect`, `HPE-Captive-Portal-URL`, `Juniper-CWA-Redirect`): the name's words decide. */
const PORTAL_NAME = /redirect|^(?=.*ur[li]).*(?:captive|portal|web-|webauth|login|guest)/;

const PORTALS: ReadonlyMap<string, Portal> = new Map([
  ['cwa', 'web login'],
  ['cpp', 'posture'],
  ['nsp', 'onboarding'],
  ['mdm', 'device management'],
]);

/** The attributes of the NAC's response go before those of the switch's request. */
export function readPortal(texts: Texts, assigned: Texts): Portal | undefined {
  for (const [name, text] of [...assigned, ...texts]) {
    if (!/^https?:\/\//i.test(text) || !PORTAL_NAME.test(name.slice(0, 100))) continue;
    const [address = ''] = text.slice(0, 4096).split(/[\s,;"'}]/, 1);
    const isListed = readGroups(texts).some((group) => /^(?:blacklist|blocked list)$/i.test(group));
    if (isListed || BLOCKED_PAGE.test(address)) return 'blocked';
    if (/[?&]type=drw(?![\w-])/i.test(address)) return 'hotspot';
    const [, action = ''] = /[?&]action=([a-z]{1,20})(?![\w-])/i.exec(address) ?? [];
    return PORTALS.get(action.toLowerCase()) ?? 'portal';
  }
  return undefined;
}

/** `User Identity Groups:Staff (day),Unknown` is `Staff (day)`. */
export const readGroups = (texts: Texts): string[] =>
  (texts.get('identity-group') ?? '').split(',').flatMap((path) => {
    const group = path.slice(path.lastIndexOf(':') + 1).trim();
    return isKnown(group) ? group : [];
  });

/** A person or another system puts a policy of Cisco's Adaptive Network Control (ANC) on a device, or its older status (EPS). */
export function readRestrictions(texts: Texts): Restriction[] {
  const put: Restriction[] = [];
  const policy = textOf(/^anc[-_ ]?policy$/, texts);
  const status = textOf(/^eps[-_ ]?status$/, texts);
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

/** The worst first: it counts where the names of a posture differ. */
const COMPLIANCES: ReadonlyArray<readonly [Compliance, RegExp]> = [
  ['not compliant', /^no[nt][^a-z]{0,3}compliant$/i],
  ['pending', /^pending$/i],
  ['compliant', /^compliant$/i],
];

/** Reads the NAC's word for the posture, and its meaning. */
export function readPosture(texts: Texts) {
  const words = [
    texts.get('posturestatus'),
    texts.get('postureassessmentstatus'),
    texts.get('posture-status'),
    texts.get('posture-assessment-status'),
    texts.get('nac-policy-compliance'),
  ];
  for (const [compliance, meaning] of COMPLIANCES)
    for (const posture of words) if (posture && meaning.test(posture)) return { posture, compliance };
  return { posture: words.find(Boolean) };
}
