import { CAUSES, failureOf } from '../../src/domain/causes.ts';
import { cureFor } from '../../src/domain/cures.ts';
import { isMacAddress } from '../../src/domain/device-address.ts';
import type { DeviceOutcome, HttpFault } from '../../src/domain/outcome.ts';
import { type SessionRecord, stateOf, suppressionOf } from '../../src/domain/session.ts';
import { type DeviceAnswer, timeText } from './device.ts';
import { noAnswerText } from './faults.ts';
import { attemptsText, failureText } from './history.ts';
import type { Tone } from './message.ts';
import {
  capitalised,
  durationText,
  type Formatter,
  joinLines,
  type Line,
  line,
  named,
  sentence,
  type Wording,
} from './words.ts';

/** A sentence of ours, one with untrusted text, or one that depends on its formatter. */
type Reason = string | Line | ((formatter: Formatter) => string | Line);

/**
 * The result for one device. `words` suffice on a lock screen; `counted`: how a headline counts it, if not by them. `next`: the
 * advice.
 */
export type Verdict = {
  words: string;
  counted?: string;
  tone?: Tone;
  reason?: Reason | undefined;
  next?: string | undefined;
};

/** Source: Cisco ISE's monitoring node shows only sessions that the other nodes log to it. */
const SEES_NOBODY =
  'The NAC has no active session at all. Its monitoring node may have stopped receiving logs. Those who run the NAC can check that node, and where the others log to.';

const ASK_NAC = 'Please ask those who run the NAC.';
const operatorCan = (outcome: Parameters<typeof cureFor>[1]) =>
  `The bot's operator can ${cureFor('NAC', outcome)}.`;
const TOO_MANY = 'The NAC, or what stands in front of it, gets too many requests now.';
const REFUSED = "The NAC does not accept the bot's user name and password (401).";
const OWN_REFUSED = line`The NAC does not accept your user name and password (401), so I have forgotten them: they are wrong, or your account has no monitoring role. Type ${'connect'} to give them again.`;

const notAsked = (reason: Reason, next?: string): Verdict => ({ words: 'not asked', reason, next });

export const VERDICTS: Wording<DeviceOutcome, DeviceAnswer, Verdict> = {
  found: ({ record }) => sessionVerdict(record),
  'no session'(_, answer) {
    const words = 'no session';
    if (answer.isNobodySeen) return { words, reason: SEES_NOBODY };
    if (answer.attempts?.length) return { words, reason: (formatter) => attemptsText(answer, formatter) };
    const reason = 'The NAC knows of no current session.';
    // The NAC learns IP addresses late, and of some devices never.
    const next = isMacAddress(answer.asked)
      ? 'Is the device plugged in and awake?'
      : 'It may know the device by its MAC address alone, so try that.';
    return { words, reason, next };
  },
  'no device': () => ({
    words: 'not one device',
    reason:
      'This address stands for none, for all or for a group of devices, so there is nothing to look up.',
    next: 'Give me the address of one device.',
  }),
  refused(outcome) {
    const words = 'credentials refused';
    if (outcome.whose === 'person') return { words, reason: OWN_REFUSED };
    return { words, reason: REFUSED, next: operatorCan(outcome) };
  },
  forbidden: () => ({
    words: 'not allowed',
    reason: 'The NAC knows the account, but the account may not read sessions (403).',
    next: 'On Cisco ISE, the account needs the role MnT Admin.',
  }),
  fault({ status, part }) {
    if (status === 429)
      return { words: 'too many requests (429)', reason: TOO_MANY, next: 'Please try again later.' };
    const reason = part && `Its ${part} is not available.`;
    const next = status === 404 ? operatorCan({ kind: 'fault', status }) : ASK_NAC;
    return { words: `the NAC reported a fault (HTTP status ${status})`, reason, next };
  },
  unusable(outcome) {
    const { reason } = outcome;
    if (reason === 'empty')
      return { words: `the NAC's answer was empty (HTTP status ${outcome.status})`, next: ASK_NAC };
    if (reason !== 'redirect') return unusable(reason);
    const { status, to } = outcome;
    const place = to === undefined ? ['It names no other host'] : line`It sends the bot to ${to}`;
    const redirected = line`${place}; the bot does not follow, because the password would go along.`;
    return {
      words: `the NAC redirects (HTTP status ${status})`,
      reason: redirected,
      next: operatorCan(outcome),
    };
  },
  'no answer': ({ fault }) => silence(fault),
  paused: ({ isForAll, until }) =>
    notAsked(({ timeLeft }) =>
      isForAll
        ? `The NAC failed several times in a row. I leave it alone for ${timeLeft(until)} more.`
        : `The NAC gave no answer about the last five devices that you asked for. I ask for you again in ${timeLeft(until)}.`,
    ),
  resting: ({ until }) =>
    notAsked(
      ({ timeLeft }) =>
        `The NAC refused the bot's credentials. I leave them alone for ${timeLeft(until)} more, so that the account does not get locked.`,
      operatorCan({ kind: 'refused' }),
    ),
  busy: () => notAsked('Too many lookups are waiting for the NAC.', 'Please try again in a minute.'),
  disconnected: () => notAsked('You disconnected while this lookup waited.', 'Please ask again.'),
  'given up': () =>
    notAsked('The NAC was down all the time, so I gave up after 10 minutes.', 'Please look up again later.'),
};

const UNUSABLE = {
  'too large': 'too large (over 1 MB)',
  'cut off': 'it was cut off before its end',
  endless: 'it began but did not end in time',
  'login page': 'a web page came instead of a session, perhaps a login page',
  unknown: 'I do not know its form',
};

function unusable(reason: keyof typeof UNUSABLE): Verdict {
  const next = reason === 'login page' ? operatorCan({ kind: 'unusable' }) : ASK_NAC;
  return { words: `the NAC's answer was not usable: ${UNUSABLE[reason]}`, next };
}

function silence(fault: HttpFault): Verdict {
  const words = noAnswerText('the NAC', fault);
  if (fault.kind === 'untrusted') return { words, next: operatorCan({ kind: 'no answer', fault }) };
  if (fault.kind === 'unreachable')
    return { words, reason: 'The NAC or the network between is down, or NAC_URL is wrong.' };
  if (fault.kind !== 'timed out') return unusable(fault.kind);
  if (fault.begun) return unusable('endless');
  return { words: 'time-out', reason: `The NAC did not answer within ${fault.timeoutMs / 1000} s.` };
}

function sessionVerdict(record: SessionRecord): Verdict {
  const kind = stateOf(record);
  const { chaining } = record;
  switch (kind) {
    case 'rejected':
    case 'did not finish':
    case 'suppressed': {
      const why = sentence(capitalised(failureText(record)));
      const said = kind === 'suppressed' ? [suppressionText(record), why] : [why, originText(record)];
      const reason = joinLines(said, ' ');
      return { words: kind, tone: 'Attention', reason, next: failureOf(record)?.cure };
    }
    case 'ended':
      return { words: kind, reason: (formatter) => endText(record.ended, formatter) };
    case 'quarantined':
      return { words: kind, tone: 'Attention', reason: originText(record) };
    case 'redirected': {
      const { portal = 'portal', compliance } = record;
      if (portal === 'blocked') return { words: portal, tone: 'Attention', reason: PORTALS.blocked };
      const failed = compliance === 'not compliant' ? 'Its posture is not compliant. ' : '';
      const reason = `${failed}${PORTALS[portal]}`;
      return { words: `${portal}: waiting`, counted: `waiting for ${portal}`, tone: 'Warning', reason };
    }
    case 'posture pending':
      return { words: 'connected, posture pending', counted: kind, tone: 'Warning' };
    case 'not compliant': {
      const reason = sentence(named('It failed ', record.failedPolicies));
      return { words: 'connected, not compliant', counted: kind, tone: 'Attention', reason };
    }
    case 'connected':
      if (chaining === undefined) return { words: kind, tone: 'Good' };
      return {
        words: `${kind}, ${chaining}`,
        counted: chaining,
        tone: 'Warning',
        reason: chaining === 'user failed' ? 'Nobody is logged in there, or the login failed.' : undefined,
      };
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

function suppressionText(record: SessionRecord): Line {
  const code = suppressionOf(record) ?? '';
  return [`${CAUSES.get(code)?.cause} (${code}).`];
}

function originText({ quarantine: { by, as = 'profile' } = {}, rule }: SessionRecord): Line {
  const isNamed = by === rule || as === 'ANC policy' || as === 'EPS status';
  const origin = joinLines([isNamed ? [] : named(`${as} `, by), named('rule ', rule)], ', ');
  return sentence(capitalised(origin));
}

function endText({ at, cause, seconds }: SessionRecord['ended'] = {}, formatter: Formatter): Line {
  const when = at === undefined ? [] : timeText(at, formatter);
  const length = seconds ? [`after ${durationText(seconds * 1000)}`] : [];
  return sentence(capitalised(joinLines([when, length, named('cause: ', cause)], ', ')));
}
