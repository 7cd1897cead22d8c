import { CAUSES, failureOf } from '../../src/domain/causes.ts';
import { isMacAddress, isUserQuery } from '../../src/domain/device-address.ts';
import { findMaker, isLocallyAdministered } from '../../src/domain/mac-address.ts';
import { hasFailed, type SessionRecord, stateOf, suppressionOf, timeOf } from '../../src/domain/session.ts';
import {
  type Answers,
  type DeviceAnswer,
  listFacts,
  nameOf,
  recordOf,
  timeText,
  whoAndWhere,
} from './device.ts';
import { failureText, historyOf } from './history.ts';
import type { Tone } from './message.ts';
import { type Verdict, verdictWithoutSession } from './outcomes.ts';
import { durationText, type Formatter, joinLines, type Line, line, named, sentence, text } from './words.ts';

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
    name: nameOf(answer),
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
  const verdict = outcome.kind === 'found' ? sessionVerdict(record) : verdictWithoutSession(outcome, answer);
  const { words, counted = words, tone = 'Default' } = verdict;
  const names = [named('ANC policy ', record.ancPolicy), named('EPS status ', record.epsStatus)];
  const policies = joinLines(names, ' and ');
  const isUnder = policies.length > 0;
  const doubts = doubtsOn(record);
  const heading = joinLines([words, isUnder && ['under ', ...policies]], ', ');
  const judged = { ...verdict, tone, counted, heading, doubts };
  if ((!isUnder && doubts.length === 0) || tone === 'Attention') return judged;
  const doubt = isUnder ? 'under a policy' : 'with a warning';
  return { ...judged, tone: 'Warning' as const, counted: tone === 'Good' ? doubt : counted };
}

function sessionVerdict(record: SessionRecord): Verdict {
  const { chaining, compliance, ended, failedPolicies, portal = 'portal' } = record;
  const state = stateOf(record);
  switch (state) {
    case 'rejected':
    case 'did not finish':
    case 'suppressed': {
      const why = sentence(failureText(record));
      const code = suppressionOf(record);
      const said = code ? [`${CAUSES.get(code)?.cause} (${code}).`, why] : [why, originText(record)];
      return { words: state, tone: 'Attention', reason: joinLines(said, ' '), next: failureOf(record)?.cure };
    }
    case 'ended':
      return { words: state, reason: (formatter) => endText(ended, formatter) };
    case 'quarantined':
      return { words: state, tone: 'Attention', reason: originText(record) };
    case 'redirected': {
      if (portal === 'blocked') return { words: portal, tone: 'Attention', reason: PORTALS.blocked };
      const failed = compliance === 'not compliant' ? 'Its posture is not compliant. ' : '';
      const reason = `${failed}${PORTALS[portal]}`;
      return { words: `${portal}: waiting`, counted: `waiting for ${portal}`, tone: 'Warning', reason };
    }
    case 'posture pending':
      return { words: 'connected, posture pending', counted: state, tone: 'Warning' };
    case 'not compliant': {
      const reason = sentence(named('It failed ', failedPolicies));
      return { words: 'connected, not compliant', counted: state, tone: 'Attention', reason };
    }
    case 'connected': {
      if (chaining === undefined) return { words: state, tone: 'Good' };
      const reason =
        chaining === 'user failed' ? 'Nobody is logged in there, or the login failed.' : undefined;
      return { words: `connected, ${chaining}`, counted: chaining, tone: 'Warning', reason };
    }
    case 'unknown':
      return { words: 'session found' };
  }
}

const PORTALS: Readonly<Record<NonNullable<SessionRecord['portal']>, string>> = {
  'web login': 'The device reaches only a login page until somebody signs in there.',
  hotspot: "The device reaches only a hotspot's portal until somebody accepts the terms there.",
  posture: 'The device reaches only the posture portal until its check has passed.',
  onboarding: 'The device reaches only the onboarding portal until it is set up.',
  'device management': 'The device reaches only a portal until the device management has enrolled it.',
  portal: 'The device reaches only the portal that the NAC sends it to.',
  blocked: 'The device is on the list of lost or stolen devices, and reaches only a page that says so.',
};

function originText({ quarantine: { by, as = 'profile' } = {}, rule }: SessionRecord): Line {
  const isNamed = by === rule || as === 'ANC policy' || as === 'EPS status';
  return sentence(joinLines([!isNamed && named(`${as} `, by), named('rule ', rule)], ', '));
}

function endText({ at, cause, seconds }: SessionRecord['ended'] = {}, formatter: Formatter): Line {
  const when = at !== undefined && timeText(at, formatter);
  const length = seconds && `after ${durationText(seconds * 1000)}`;
  return sentence(joinLines([when, length || undefined, named('cause: ', cause)], ', '));
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
