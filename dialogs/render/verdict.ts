import { CAUSES, codeOf, failureOf } from '../../src/domain/causes.ts';
import { groupOf } from '../../src/domain/outcome.ts';
import {
  hasFailed,
  type Portal,
  type SessionEnd,
  type SessionRecord,
  type SessionState,
  stateOf,
  suppressionOf,
} from '../../src/domain/session.ts';
import type { DeviceAnswer } from './device.ts';
import { failedPoliciesOf, quoted, timeText } from './facts.ts';
import { NO_SESSION, type Verdict } from './outcomes.ts';
import {
  durationText,
  joinLines,
  type Line,
  line,
  type Reader,
  sentence,
  shorten,
  type Table,
  wordsFor,
} from './words.ts';

/** The verdict; `heading`: its words with the ANC policy or EPS status that is put on the device. */
export function verdictOf(answer: DeviceAnswer): Verdict & { heading: Line; doubts: readonly Line[] } {
  const { outcome } = answer;
  if (outcome.kind !== 'found') {
    const isCalm = ['none', 'not a device'].includes(groupOf(outcome));
    const said = wordsFor(outcome, NO_SESSION, answer);
    return { tone: isCalm ? 'Default' : 'Attention', ...said, heading: [said.words], doubts: [] };
  }
  const { restrictions = [] } = outcome.record;
  const verdict = wordsFor(stateOf(outcome.record), SESSIONS, outcome.record);
  const doubts = doubtsOn(outcome.record);
  const isDoubtful = restrictions.length + doubts.length > 0 && verdict.tone !== 'Attention';
  const named = restrictions.map(({ as, name }) => line`${[as]} ${shorten(name)}`);
  const under = named.length > 0 ? line`, under ${joinLines(named, ' and ')}` : [];
  const heading = line`${[verdict.words]}${under}`;
  return { ...verdict, heading, doubts, ...(isDoubtful && { tone: 'Warning' }) };
}

export function reasonOf({ reason = [] }: Verdict, reader: Reader): Line {
  const told = typeof reason === 'function' ? reason(reader) : reason;
  return typeof told === 'string' ? [told] : told;
}

const SESSIONS: Table<SessionState, SessionRecord, Verdict> = {
  rejected: (_, record) => failed('rejected', record),
  'did not finish': (_, record) => failed('did not finish', record),
  suppressed: (_, record) => ({ ...failed('suppressed', record), reason: suppressionText(record) }),
  ended: (end) => ({ words: 'ended', tone: 'Default', reason: (reader) => endText(end, reader) }),
  quarantined: (_, record) => ({ words: 'quarantined', tone: 'Attention', reason: quarantineText(record) }),
  redirected: ({ to }) =>
    to === 'blocked'
      ? { words: to, tone: 'Attention', reason: PORTALS[to] }
      : { words: `${to}: waiting`, tone: 'Warning', reason: PORTALS[to] },
  'posture pending': () => ({ words: 'connected, posture pending', tone: 'Warning' }),
  'not compliant'(_, record) {
    const policies = failedPoliciesOf(record);
    const reason = policies.length > 0 ? line`It failed ${policies}.` : [];
    return { words: 'connected, not compliant', tone: 'Attention', reason };
  },
  connected: (_, { chaining }) =>
    chaining
      ? { words: `connected, ${chaining}`, tone: 'Warning', reason: CHAINING[chaining] }
      : { words: 'connected', tone: 'Good' },
  unknown: () => ({ words: 'session found', tone: 'Default' }),
};

const failed = (words: string, record: SessionRecord): Verdict => ({
  words,
  tone: 'Attention',
  reason: rejectionText(record),
  next: failureOf(record)?.cure,
});

/** Which half of a chained authentication failed. */
export const CHAINING = {
  'user failed': 'The machine passed, but no user did: nobody is logged in there, or the login failed.',
  'machine failed': 'The user passed, but the machine failed.',
};

const PORTALS: Readonly<Record<Portal, string>> = {
  'web login': 'The device reaches only a login page until somebody signs in there.',
  hotspot: "The device reaches only a hotspot's portal until somebody accepts the terms there.",
  posture: 'The device reaches only the posture portal until its check has passed.',
  onboarding: 'The device reaches only the onboarding portal until it is set up.',
  'device management': 'The device reaches only a portal until the device management has enrolled it.',
  portal: 'The device reaches only a portal of the NAC.',
  blocked: 'The device is on the list of lost or stolen devices, and reaches only a page that says so.',
};

function doubtsOn(record: SessionRecord): Line[] {
  const { authorizationProfiles = '', certificateDays: days = -1, isAccountingAlone, ended } = record;
  const failure = hasFailed(record) ? undefined : failureOf({ ...record, steps: [] });
  const isMaybeHeld = /redirect|web[-_]?auth/i.test(authorizationProfiles);
  return [
    ...(failure ? [[withCode(failure)]] : []),
    ...(failure?.cure === undefined ? [] : [[failure.cure]]),
    ...(isMaybeHeld && stateOf(record).kind === 'connected' ? [MAYBE_HELD] : []),
    ...(days >= 0 && days <= 30 ? [[certificateText(days)]] : []),
    ...(isAccountingAlone && !ended ? [ACCOUNTING_ALONE] : []),
  ];
}

const MAYBE_HELD = line`By the name of its profile, the device may be held at a portal.`;
const ACCOUNTING_ALONE = line`The NAC has only accounting of this session yet. In a minute, it may say more.`;

function certificateText(days: number): string {
  const when = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`;
  return `The device's certificate ends ${when}.`;
}

/** Our words, else the NAC's own, else a possible cause; then quarantine and rule. */
function rejectionText(record: SessionRecord): Line {
  const { rule, quarantine: { by, as } = {} } = record;
  const named = by === rule || isInHeading(record, as) ? [] : quoted(by);
  const told = [
    ...failureText(record),
    ...named.map((name) => line`Quarantined by ${name}.`),
    ...quoted(rule).map((name) => line`Rule ${name}.`),
  ];
  return joinLines(told, ' ');
}

const isInHeading = ({ restrictions = [] }: SessionRecord, as: string | undefined) =>
  restrictions.some((restriction) => restriction.as === as);

function suppressionText(record: SessionRecord): Line {
  const code = suppressionOf(record) ?? '';
  const { cause = '' } = CAUSES.get(code) ?? {};
  const reason =
    codeOf(record.failureReason) === code ? [] : failureText({ ...record, messageCode: undefined });
  return joinLines([[withCode({ cause, code })], ...reason], ' ');
}

function failureText(record: SessionRecord): Line[] {
  const failure = failureOf(record);
  if (failure === undefined) return quoted(record.failureReason).map(sentence);
  const told = withCode(failure);
  return [[failure.isSure ? told : `Possible cause: ${told.charAt(0).toLowerCase()}${told.slice(1)}`]];
}

const withCode = ({ cause, code }: { cause: string; code: string }) => cause.replace(/\.$/, ` (${code}).`);

function quarantineText(record: SessionRecord): Line {
  const { quarantine: { by, as = 'profile' } = {}, rule } = record;
  const named = by === rule || isInHeading(record, as) ? [] : quoted(by).map((name) => line`${[as]} ${name}`);
  const [first, ...rest] = joinLines([...named, ...quoted(rule).map((name) => line`rule ${name}`)], ', ');
  return typeof first === 'string' ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest, '.'] : [];
}

function endText({ at, cause, seconds }: SessionEnd, reader: Reader): Line {
  const when = at ? [timeText(at, reader)] : [];
  const length = at && seconds ? [[`after ${durationText(seconds * 1000)}`]] : [];
  const why = quoted(cause).map((each) => line`${[at ? 'cause' : 'The cause']}: ${each}`);
  const told = joinLines([...when, ...length, ...why], ', ');
  return told.length > 0 ? [...told, '.'] : [];
}
