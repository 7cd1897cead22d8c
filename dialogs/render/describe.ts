import { CAUSES, failureOf } from '../../src/domain/causes.ts';
import { isUserQuery } from '../../src/domain/device-address.ts';
import { groupOf } from '../../src/domain/outcome.ts';
import { hasFailed, type SessionRecord, stateOf, suppressionOf, timeOf } from '../../src/domain/session.ts';
import {
  addressHints,
  type DeviceAnswer,
  type Fact,
  listFacts,
  nameOf,
  recordOf,
  timeText,
  whoAndWhere,
} from './device.ts';
import { failureText, historyOf } from './history.ts';
import type { Tone } from './message.ts';
import { VERDICTS_WITHOUT_SESSION, type Verdict } from './outcomes.ts';
import {
  capitalised,
  durationText,
  type Formatter,
  joinLines,
  type Line,
  line,
  named,
  sentence,
  text,
  wordingFor,
} from './words.ts';

/** Everything that card, text and the room's post show about one device. */
export type Description = DeviceAnswer & {
  words: string;
  tone: Tone;
  /** The verdict as a headline counts it. */
  counted: string;
  name: Line;
  /** User, place, and how long ago a running session began, in a few words. */
  where: Line;
  /** The verdict's words with the ANC policy or EPS status of the device. */
  heading: Line;
  reason: Line;
  /** The reason, then the advice. */
  explanation: Line;
  /** Remarks on the session, and on the address, one a line. */
  hints: readonly Line[];
  addressHints: readonly Line[];
  facts: readonly Fact[];
  /** The last attempts, newest first. Empty if the reason covers them. */
  history: readonly Line[];
};

export function describe(answer: DeviceAnswer, formatter: Formatter): Description {
  const { attempts } = answer;
  const { ended, since } = recordOf(answer);
  const begun = timeOf(since);
  const { words, tone, counted, heading, doubts, next, reason: stated = [] } = verdictOf(answer);
  const history = attempts ? historyOf(answer, attempts, formatter) : { listed: [] };
  const given = typeof stated === 'function' ? stated(formatter) : stated;
  const reason = typeof given === 'string' ? [given] : given;
  return {
    ...answer,
    name: nameOf(answer),
    where: joinLines([whoAndWhere(answer), ended || begun === undefined ? [] : [formatter.age(begun)]], ', '),
    words,
    tone,
    counted,
    heading,
    reason,
    explanation: joinLines([reason, next ? [next] : [], history.next ? [history.next] : []], ' '),
    hints: [...doubts, ...remarksOn(answer, formatter), ...(history.summary ? [history.summary] : [])],
    addressHints: addressHints(answer),
    facts: listFacts(answer, formatter),
    history: history.listed,
  };
}

/** The first line about a device: its name, the verdict, and the reason. */
export const firstLine = (name: Line, heading: Line, why: Line = []) =>
  joinLines([line`${name}: ${heading}.`, why], ' ');

type Judged = Verdict & { counted: string; heading: Line; doubts: readonly Line[] };

/** The verdict; `heading`: its words with the ANC policy or EPS status that is put on the device. */
export function verdictOf(answer: DeviceAnswer): Judged {
  const { outcome } = answer;
  if (outcome.kind !== 'found') {
    const verdict = wordingFor(outcome, VERDICTS_WITHOUT_SESSION, answer);
    const counted = groupOf(outcome);
    const tone = counted === 'not known' ? 'Attention' : 'Default';
    return { ...verdict, tone, counted, heading: [verdict.words], doubts: [] };
  }
  const { ancPolicy, epsStatus } = outcome.record;
  const verdict = sessionVerdict(outcome.record);
  const doubts = doubtsOn(outcome.record);
  const put = joinLines([named('ANC policy ', ancPolicy), named('EPS status ', epsStatus)], ' and ');
  const heading = joinLines([[verdict.words], put], ', under ');
  const { words, tone, counted = words } = verdict;
  const isDoubtful = put.length + doubts.length > 0;
  if (!isDoubtful || tone === 'Attention') return { ...verdict, counted, heading, doubts };
  const doubt = put.length > 0 ? 'under a policy' : 'with a warning';
  return { ...verdict, tone: 'Warning', counted: tone === 'Good' ? doubt : counted, heading, doubts };
}

export const worstFirst = (answers: readonly DeviceAnswer[]): DeviceAnswer[] =>
  answers.toSorted((one, other) => rankOf(one) - rankOf(other));

function rankOf(answer: DeviceAnswer): number {
  const { tone } = verdictOf(answer);
  const { kind } = answer.outcome;
  if (tone === 'Attention') return kind === 'found' ? 0 : 1;
  if (tone === 'Good') return 4;
  return kind === 'no session' ? 2 : 3;
}

function sessionVerdict(record: SessionRecord): Verdict {
  const kind = stateOf(record);
  switch (kind) {
    case 'rejected':
    case 'did not finish':
    case 'suppressed': {
      const why = sentence(capitalised(failureText(record)));
      const reason = kind === 'suppressed' ? [suppressionText(record), why] : [why, originText(record)];
      return {
        words: kind,
        tone: 'Attention',
        reason: joinLines(reason, ' '),
        next: failureOf(record)?.cure,
      };
    }
    case 'ended':
      return { words: kind, tone: 'Default', reason: (formatter) => endText(record.ended, formatter) };
    case 'quarantined':
      return { words: kind, tone: 'Attention', reason: originText(record) };
    case 'redirected': {
      const { portal = 'portal', compliance } = record;
      if (portal === 'blocked') return { words: portal, tone: 'Attention', reason: PORTALS.blocked };
      const failed = compliance === 'not compliant' ? 'Its posture is not compliant. ' : '';
      return {
        words: `${portal}: waiting`,
        counted: `waiting for ${portal}`,
        tone: 'Warning',
        reason: `${failed}${PORTALS[portal]}`,
      };
    }
    case 'posture pending':
      return { words: 'connected, posture pending', counted: kind, tone: 'Warning' };
    case 'not compliant': {
      const reason = sentence(named('It failed ', record.failedPolicies));
      return { words: 'connected, not compliant', counted: kind, tone: 'Attention', reason };
    }
    case 'connected':
      return record.chaining ? withChaining(record.chaining) : { words: kind, tone: 'Good' };
    case 'unknown':
      return { words: 'session found', tone: 'Default' };
  }
}

const withChaining = (chaining: keyof typeof CHAINING): Verdict => ({
  words: `connected, ${chaining}`,
  counted: chaining,
  tone: 'Warning',
  reason: CHAINING[chaining],
});

const CHAINING = {
  'user failed': 'The machine passed, but no user did: nobody is logged in there, or the login failed.',
  'machine failed': 'The user passed, but the machine failed.',
};

const PORTALS: Readonly<Record<NonNullable<SessionRecord['portal']>, string>> = {
  'web login': 'The device reaches only a login page until somebody signs in there.',
  hotspot: "The device reaches only a hotspot's portal until somebody accepts the terms there.",
  posture: 'The device reaches only the posture portal until its check has passed.',
  onboarding: 'The device reaches only the onboarding portal until it is set up.',
  'device management': 'The device reaches only a portal until the device management has enrolled it.',
  portal: 'The device reaches only the portal that the NAC sends it to.',
  blocked: 'The device is on the list of lost or stolen devices, and reaches only a page that says so.',
};

const DAYS = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Speaks against a device that is let in. */
function doubtsOn(record: SessionRecord): Line[] {
  const { authorizationProfiles = '', certificateDays: days = -1, messageCode, failureReason } = record;
  const coded = { messageCode, failureReason };
  const isSaid = (messageCode ?? failureReason) !== undefined && !hasFailed(record);
  const failure = isSaid ? sentence(capitalised(failureText(coded))) : [];
  const { cure } = (failure.length > 0 && failureOf(coded)) || {};
  const isConnected = stateOf(record) === 'connected';
  const doubts: Line[] = [];
  if (failure.length > 0) doubts.push(joinLines([failure, cure ? [cure] : []], ' '));
  if (isConnected && /redirect|web[-_]?auth/i.test(authorizationProfiles)) doubts.push(MAYBE_HELD);
  if (days >= 0 && days <= 30) doubts.push([`The device's certificate ends ${DAYS.format(days, 'day')}.`]);
  if (record.isAccountingAlone && !record.ended) doubts.push(ACCOUNTING_ALONE);
  return doubts;
}

const MAYBE_HELD = ['By the name of its profile, the device may be held at a portal.'];
const ACCOUNTING_ALONE = ['The NAC has only accounting of this session yet. In a minute, it may say more.'];

function suppressionText(record: SessionRecord): Line {
  const code = suppressionOf(record) ?? '';
  return [`${CAUSES.get(code)?.cause} (${code}).`];
}

/** The name that says quarantine, unless it stands in the heading, and the rule. */
function originText({ quarantine: { by, as = 'profile' } = {}, rule }: SessionRecord): Line {
  const isNamed = by === rule || as === 'ANC policy' || as === 'EPS status';
  const origin = joinLines([isNamed ? [] : named(`${as} `, by), named('rule ', rule)], ', ');
  return sentence(capitalised(origin));
}

function endText({ at, cause, seconds }: SessionRecord['ended'] = {}, formatter: Formatter): Line {
  if (at === undefined) return sentence(named('The cause: ', cause));
  const length = seconds ? [`after ${durationText(seconds * 1000)}`] : [];
  return sentence(joinLines([timeText(at, formatter), length, named('cause: ', cause)], ', '));
}

const LATEST = "This is the user's latest session only. The user may have other devices.";
const DAY_MS = 24 * 3_600_000;

function remarksOn(answer: DeviceAnswer, formatter: Formatter): Line[] {
  const { asked, outcome, endpoint, lastKnown } = answer;
  const record = recordOf(answer);
  const { slow, lastSignAt = Number.POSITIVE_INFINITY } = record;
  const isOld = formatter.now() - lastSignAt > DAY_MS && stateOf(record) !== 'ended';
  return [
    ...(isUserQuery(asked) && outcome.kind === 'found' ? [[LATEST]] : []),
    ...(slow ? [slownessText(slow)] : []),
    ...(isOld ? [['The session is older than a day; the device may be gone by now.']] : []),
    ...(endpoint ? [endpointText(endpoint)] : []),
    ...(lastKnown ? [line`${[`At ${formatter.clock(lastKnown.at)} it was `]}${lastKnown.said}.`] : []),
  ];
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
  const { group, isStatic, registeredBy, description } = endpoint;
  const member = joinLines(
    [named('group ', group), group !== undefined && isStatic ? ['(static)'] : []],
    ' ',
  );
  const facts = joinLines([member, named('registered by ', registeredBy), text(description)], ', ');
  return sentence(joinLines([['The NAC knows it'], facts], ': '));
}
