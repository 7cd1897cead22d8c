import { CAUSES, failureOf } from '../../src/domain/causes.ts';
import { isMacAddress, isUserQuery } from '../../src/domain/device-address.ts';
import { findMaker, isLocallyAdministered } from '../../src/domain/mac-address.ts';
import { recordOf } from '../../src/domain/outcome.ts';
import { hasFailed, type SessionRecord, stateOf, timeOf } from '../../src/domain/session.ts';
import type { Answers, DeviceAnswer } from './device.ts';
import { failureText, historyOf } from './history.ts';
import type { Tone } from './message.ts';
import { SESSIONS, verdictWithoutSession } from './outcomes.ts';
import * as words from './words.ts';
import { type Formatter, joinLines, type Line, line, named, sentence, shorten, text } from './words.ts';

/** Everything that card, text and the room's post show about one device. */
export type Description = ReturnType<typeof describe>;

export function describe(answer: DeviceAnswer, formatter: Formatter) {
  const { ended, since } = recordOf(answer);
  const begun = timeOf(since);
  const verdict = verdictOf(answer);
  const { doubts, next, reason: stated } = verdict;
  const history = answer.attempts && historyOf(answer, answer.attempts, formatter);
  const reason = joinLines([typeof stated === 'function' ? stated(formatter) : stated]);
  return {
    ...answer,
    ...verdict,
    name: words.nameOf(answer),
    /** User, place, and how long ago a running session began, in a few words. */
    where: joinLines([whoAndWhere(answer), !ended && begun !== undefined && formatter.age(begun)], ', '),
    reason,
    explanation: joinLines([reason, next, history?.next], ' '),
    /** Remarks on the session and on the address, one a line. */
    hints: [...doubts, ...(history?.summary ?? []), ...remarksOn(answer, formatter)],
    facts: listFacts(answer, formatter),
    /** The last attempts, newest first. Empty if the reason covers them. */
    history: history?.listed ?? [],
  };
}

/** The first line about a device: its name, the verdict, and the reason. */
export const firstLine = (name: Line, heading: Line, why: Line = []) =>
  joinLines([line`${name}: ${heading}.`, why], ' ');

/** User and place in a few words. Without a session, both are unknown. */
export function whoAndWhere(answer: DeviceAnswer): Line {
  const record = recordOf(answer);
  return joinLines([words.userText(answer.address, record), words.placeText(record)], ', ');
}

const verdicts = new WeakMap<DeviceAnswer, ReturnType<typeof judge>>();

/**
 * `counted`: the verdict as a headline counts it. `heading`: its words with the ANC policy or EPS status that is put on the
 * device. `doubts`: remarks against a device that is let in. Worked out once for each answer.
 */
export function verdictOf(answer: DeviceAnswer) {
  const verdict = verdicts.get(answer) ?? judge(answer);
  verdicts.set(answer, verdict);
  return verdict;
}

function judge(answer: DeviceAnswer) {
  const { outcome } = answer;
  const record = recordOf(answer);
  const state = stateOf(record);
  const found = SESSIONS[state === 'connected' ? (record.chaining ?? state) : state];
  const stated = outcome.kind === 'found' ? found : verdictWithoutSession(outcome, answer);
  const verdict = typeof stated === 'function' ? stated(record) : stated;
  const { counted = verdict.words.replace('connected, ', ''), tone = 'Default' } = verdict;
  const names = [named('ANC policy ', record.ancPolicy), named('EPS status ', record.epsStatus)];
  const policies = joinLines(names, ' and ');
  const isUnder = policies.length > 0;
  const doubts = doubtsOn(record);
  const heading = joinLines([verdict.words, isUnder && ['under ', ...policies]], ', ');
  const judged = { ...verdict, tone, counted, heading, doubts };
  if ((!isUnder && doubts.length === 0) || tone === 'Attention') return judged;
  const doubt = isUnder ? 'under a policy' : 'with a warning';
  return { ...judged, tone: 'Warning' as const, counted: tone === 'Good' ? doubt : counted };
}

const TONES: readonly Tone[] = ['Attention', 'Warning', 'Default', 'Good'];

export const worstFirst = (answers: Answers): DeviceAnswer[] =>
  answers.toSorted((one, other) => rankOf(one) - rankOf(other));

function rankOf(answer: DeviceAnswer): number {
  const { tone } = verdictOf(answer);
  const isFirst = (answer.outcome.kind === 'found') === (tone === 'Attention');
  return TONES.indexOf(tone) + (isFirst ? 0 : 0.5);
}

const DAYS = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function doubtsOn(record: SessionRecord): Line[] {
  const { authorizationProfiles = '', certificateDays: days = -1, messageCode = '', failureReason } = record;
  const stated = { messageCode, failureReason };
  const isStated = (failureReason !== undefined || CAUSES.has(messageCode)) && !hasFailed(record);
  const failure = isStated ? sentence(failureText(stated)) : [];
  const isConnected = stateOf(record) === 'connected';
  const doubts: Line[] = [];
  if (failure.length > 0) doubts.push(joinLines([failure, failureOf(stated)?.cure], ' '));
  if (isConnected && /redirect|web[-_]?auth/i.test(authorizationProfiles)) doubts.push(MAYBE_HELD);
  if (days >= 0 && days <= 30) doubts.push([`The device's certificate ends ${DAYS.format(days, 'day')}.`]);
  if (record.isAccountingAlone && !record.ended) doubts.push(ACCOUNTING_ALONE);
  return doubts;
}

const MAYBE_HELD = ['By the name of its profile, the device may be held at a portal.'];
const ACCOUNTING_ALONE = ['The NAC has only accounting of this session yet. In a minute, it may say more.'];

const LATEST = "This is the user's latest session only. The user may have other devices.";
const OLD = 'The session is older than a day; the device may be gone by now.';
const REUSED = 'The session has ended, so another device may have this IP address by now.';
const PRIVATE =
  "This is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.";
const DAY_MS = 24 * 3_600_000;

function remarksOn(answer: DeviceAnswer, formatter: Formatter): Line[] {
  const { asked, address, outcome, endpoint, lastKnown } = answer;
  const { slow, lastSignAt = Number.POSITIVE_INFINITY, ended, port, wifi } = recordOf(answer);
  const isByUser = isUserQuery(asked);
  const isPrivate = isMacAddress(address) && isLocallyAdministered(address) && !findMaker(address);
  const isWired = port !== undefined && !wifi; // By wire, it is rather a virtual machine's.
  const remarks: Line[] = [];
  if (isByUser && outcome.kind === 'found') remarks.push([LATEST]);
  if (slow) remarks.push(slownessText(slow));
  if (formatter.now() - lastSignAt > DAY_MS && !ended) remarks.push([OLD]);
  if (endpoint) remarks.push(endpointText(endpoint));
  if (lastKnown) remarks.push(line`${[`At ${formatter.clock(lastKnown.at)} it was `]}${lastKnown.said}.`);
  if (ended && !isMacAddress(asked) && !isByUser) remarks.push([REUSED]);
  if (isPrivate && !isWired && ['found', 'no session'].includes(outcome.kind)) remarks.push([PRIVATE]);
  return remarks;
}

/** Identity stores by the first three digits of a step. Source: Cisco ISE's message catalogue. */
const STORES: Readonly<Record<string, string>> = {
  240: 'LDAP',
  242: "the NAC's own store",
  243: 'Active Directory',
  244: 'Active Directory',
};

function slownessText({ ms, step }: NonNullable<SessionRecord['slow']>): Line {
  const took = `The authentication took ${Math.round(ms / 100) / 10} s`;
  if (step === undefined) return [`${took}.`];
  const store = STORES[step.slice(0, 3)];
  return [`${took}, most of it in step `, ...text(step), store ? ` (${store}).` : '.'];
}

function endpointText(endpoint: NonNullable<DeviceAnswer['endpoint']>): Line {
  if (endpoint.kind === 'not known') return ['The NAC has no record of it (never seen, or removed).'];
  const { group, staticGroupAssignment, portalUser, description } = endpoint;
  const isStatic = group !== undefined && staticGroupAssignment;
  const member = joinLines([named('group ', group), isStatic && '(static)'], ' ');
  const facts = joinLines([member, named('registered by ', portalUser), text(description)], ', ');
  return sentence(joinLines(['The NAC knows it', facts], ': '));
}

/** `isDetail`: a card shows it behind its button "More" alone. */
export type Fact = readonly [label: string, value: Line, isDetail?: boolean];

const TERMINAL_LINE = /^(?:tty|vty|con|aux|console)\s?\d*$/i;

/** Returns a device's facts in order: user, place, begin, kind of device, the NAC's decision. */
function listFacts(answer: DeviceAnswer, formatter: Formatter): Fact[] {
  const record = recordOf(answer);
  const { wifi, vpn, port, vlan, since, rule, securityGroup, securityGroupTag: tag } = record;
  const user = words.userText(answer.address, record);
  // Without an answer of a DHCP server, a device has no address, or one of 169.254.0.0/16 (RFC 3927).
  const isUnleased = /^(?:169\.254\.|0\.0\.0\.0$)/.test(record.ipAddress ?? '');
  const tunnel = joinLines([text(vpn?.group), named('client ', vpn?.client)], ', ');
  // User and profile say more of a device than its maker.
  const isKnown = record.endpointProfile !== undefined || typeof user[0] === 'object';
  const protocol = /EAP/i.test(record.protocol ?? '') && text(record.protocol); // Others repeat the method.
  const number = tag !== undefined && (securityGroup === undefined ? `${tag}` : `(${tag})`);
  // A rejection's verdict names the rule already, and that of a failed posture its policies.
  const ruleText = !hasFailed(record) && text(rule);
  const facts: Fact[] = [
    ['User', user],
    ['IP address', joinLines([text(record.ipAddress), isUnleased && '(no DHCP address)'], ' ')],
    [wifi ? 'Wireless controller' : 'Network device', networkDeviceText(record)],
    TERMINAL_LINE.test(port ?? '')
      ? ['Login', named('terminal line ', port)]
      : [wifi ? 'Interface' : 'Port', text(port)],
    ['Wi-Fi', wifi ? text(wifi.ssid ?? 'yes') : []],
    ['Access point', text(wifi?.accessPoint), true],
    ['VPN', vpn && tunnel.length === 0 ? ['yes'] : tunnel],
    ['VLAN', text(vlan)],
    ['Voice domain', record.isVoice ? ['yes'] : []],
    ['Location', text(record.location), true],
    ['Since', since === undefined ? [] : words.timeText(since, formatter)],
    ['Maker', isMacAddress(answer.address) ? text(findMaker(answer.address)) : [], isKnown],
    ['Method', joinLines([words.methodName(record), protocol], ', '), true],
    ['Policy', joinLines([text(record.policySet), ruleText, text(record.authorizationProfiles)], ', ')],
    ['Security group', joinLines([text(securityGroup), number], ' '), true],
    ['Access list', text(record.accessList), true],
    ['Profile', joinLines([text(record.endpointProfile), named('group ', record.identityGroup)], ', '), true],
    ['Posture', text(record.compliance), true],
    ['Failed policies', stateOf(record) === 'not compliant' ? [] : text(record.failedPolicies)],
  ];
  return facts.filter(([, value]) => value.length > 0);
}

function networkDeviceText({ networkDevice, networkAddress, isUnlisted }: SessionRecord): Line {
  if (isUnlisted) return line`${text(networkDevice)} (not defined in the NAC)`;
  const isNamed = networkAddress !== undefined && networkAddress !== networkDevice;
  return isNamed ? line`${text(networkDevice)} (${shorten(networkAddress)})` : text(networkDevice);
}
