import { cureFor } from '../../src/domain/cures.ts';
import { type DeviceAddress, isMacAddress, isUserQuery } from '../../src/domain/device-address.ts';
import type { DeviceOutcome, HttpFault } from '../../src/domain/outcome.ts';
import type { DeviceAnswer } from './device.ts';
import { noAnswerText } from './faults.ts';
import { attemptsText } from './history.ts';
import type { Tone } from './message.ts';
import { type Formatter, type Line, line, type Wording } from './words.ts';

/** A sentence of ours, one with untrusted text, or one that depends on its formatter. */
type Reason = string | Line | ((formatter: Formatter) => string | Line);

/**
 * The result for one device. `words` suffice on a lock screen; `counted`: how a headline counts it, if not by them. `next`: the
 * advice.
 */
export type Verdict = {
  words: string;
  counted?: string;
  tone: Tone;
  reason?: Reason | undefined;
  next?: string | undefined;
};

type Said = Omit<Verdict, 'tone'>;

/** Source: Cisco ISE's monitoring node shows only sessions that the other nodes log to it. */
const SEES_NOBODY =
  'The NAC has no active session at all. Its monitoring node may have stopped receiving logs. Those who run the NAC can check that node, and where the others log to.';

const ASK_NAC = 'Please ask those who run the NAC.';
/** The advice in the words of the doctor. */
const operatorCan = (outcome: Parameters<typeof cureFor>[1]) =>
  `The bot's operator can ${cureFor('NAC', outcome)}.`;
const TOO_MANY = 'The NAC, or what stands in front of it, gets too many requests now.';
const REFUSED = "The NAC does not accept the bot's user name and password (401).";
const OWN_REFUSED = line`The NAC does not accept your user name and password (401), so I have forgotten them: they are wrong, or your account has no monitoring role. Type ${'connect'} to give them again.`;

const notAsked = (reason: Reason, next?: string): Said => ({ words: 'not asked', reason, next });

/** The verdict on each outcome without a session. */
export const VERDICTS_WITHOUT_SESSION: Wording<
  Exclude<DeviceOutcome, { kind: 'found' }>,
  DeviceAnswer,
  Said
> = {
  'no session'(_, answer) {
    const words = 'no session';
    if (answer.isNobodySeen) return { words, reason: SEES_NOBODY };
    if (answer.attempts?.length) return { words, reason: (formatter) => attemptsText(answer, formatter) };
    const reason = `The NAC knows of no current session${byWhat(answer.asked)}.`;
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
  disconnected: () =>
    notAsked(
      'You disconnected while this lookup waited.',
      'Please ask again; the account of the bot is used then.',
    ),
  'given up': () =>
    notAsked('The NAC was down all the time, so I gave up after 10 minutes.', 'Please look up again later.'),
};

function byWhat(asked: DeviceAddress): string {
  if (isMacAddress(asked)) return '';
  return isUserQuery(asked) ? ' for this user name' : ' with this IP address';
}

const UNUSABLE = {
  'too large': 'too large (over 1 MB)',
  'cut off': 'it was cut off before its end',
  endless: 'it began but did not end in time',
  'login page': 'a web page came instead of a session, perhaps a login page',
  unknown: 'I do not know its form',
};

function unusable(reason: keyof typeof UNUSABLE): Said {
  const next = reason === 'login page' ? operatorCan({ kind: 'unusable' }) : ASK_NAC;
  return { words: `the NAC's answer was not usable: ${UNUSABLE[reason]}`, next };
}

function silence(fault: HttpFault): Said {
  const words = noAnswerText('the NAC', fault);
  if (fault.kind === 'untrusted') return { words, next: operatorCan({ kind: 'no answer', fault }) };
  if (fault.kind === 'unreachable')
    return { words, reason: 'The NAC or the network between is down, or NAC_URL is wrong.' };
  if (fault.kind !== 'timed out') return unusable(fault.kind);
  if (fault.begun) return unusable('endless');
  return { words: 'time-out', reason: `The NAC did not answer within ${fault.timeoutMs / 1000} s.` };
}
