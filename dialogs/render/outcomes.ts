import type { ExchangeFault, IssuedName } from '../../src/credentials/exchanges.ts';
import { CAUSES, failureOf } from '../../src/domain/causes.ts';
import { isMacAddress } from '../../src/domain/device-address.ts';
import { type DeviceOutcome, groupOf, type HttpFault, type TrustFault } from '../../src/domain/outcome.ts';
import { cureFor, NO_SESSIONS, type Outcome } from '../../src/domain/part.ts';
import { type SessionRecord, stateOf, suppressionOf } from '../../src/domain/session.ts';
import type { PostFault } from '../../src/webhook/sender.ts';
import type { DeviceAnswer } from './device.ts';
import { attemptsText, failureText } from './history.ts';
import type { Tone } from './message.ts';
import type { Formatter, Line, Words } from './words.ts';
import { durationText, joinLines, line, named, sentence, timeText } from './words.ts';

/** The text for each kind of an outcome or fault. */
type Wording<Outcome extends { kind: string }, Context, Text> = {
  readonly [Kind in Outcome['kind']]: (outcome: Outcome & { kind: Kind }, context: Context) => Text;
};

const wordingFor = <Outcome extends { kind: string }, Context, Text>(
  outcome: Outcome,
  table: Wording<Outcome, Context, Text>,
  context: Context,
): Text => table[outcome.kind as Outcome['kind']](outcome, context);

/**
 * `words` suffice on a lock screen. `counted`: how a headline counts the device. `reason` may depend on its formatter. `next`: the
 * advice.
 */
export type Verdict = {
  words: string;
  counted?: string;
  tone?: Tone;
  reason?: Words | ((formatter: Formatter) => Words);
  next?: string | undefined;
};

const NOBODY = 'Nobody is logged in there, or the login failed.';

type State = ReturnType<typeof stateOf> | NonNullable<SessionRecord['chaining']>;

/** A session's verdict, by its state, or by the half of a chained authentication that failed. */
export const SESSIONS: Readonly<Record<State, Verdict | ((record: SessionRecord) => Verdict)>> = {
  rejected: failedVerdict,
  'did not finish': failedVerdict,
  suppressed: failedVerdict,
  ended: ({ ended }) => ({ words: 'ended', reason: (formatter) => endText(ended, formatter) }),
  quarantined: (record) => ({ words: 'quarantined', tone: 'Attention', reason: originText(record) }),
  redirected({ portal = 'portal', compliance }) {
    if (portal === 'blocked') return { words: portal, tone: 'Attention', reason: PORTALS.blocked };
    const failed = compliance === 'not compliant' ? 'Its posture is not compliant. ' : '';
    const reason = `${failed}${PORTALS[portal]}`;
    return { words: `${portal}: waiting`, counted: `waiting for ${portal}`, tone: 'Warning', reason };
  },
  'posture pending': { words: 'connected, posture pending', tone: 'Warning' },
  'not compliant'({ failedPolicies }) {
    const reason = sentence(named('It failed ', failedPolicies));
    return { words: 'connected, not compliant', tone: 'Attention', reason };
  },
  'user failed': { words: 'connected, user failed', tone: 'Warning', reason: NOBODY },
  'machine failed': { words: 'connected, machine failed', tone: 'Warning' },
  connected: { words: 'connected', tone: 'Good' },
  unknown: { words: 'session found' },
};

function failedVerdict(record: SessionRecord): Verdict {
  const why = sentence(failureText(record));
  const code = suppressionOf(record);
  const said = code ? [`${CAUSES.get(code)?.cause} (${code}).`, why] : [why, originText(record)];
  const next = failureOf(record)?.cure;
  return { words: stateOf(record), tone: 'Attention', reason: joinLines(said, ' '), next };
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

type WithoutSession = Exclude<DeviceOutcome, { kind: 'found' }>;

export function verdictWithoutSession(outcome: WithoutSession, answer: DeviceAnswer): Verdict {
  const counted = groupOf(outcome);
  const [words, reason, next] = wordingFor(outcome, WITHOUT_SESSION, answer);
  return { words, counted, tone: counted === 'not known' ? 'Attention' : 'Default', reason, next };
}

const SEES_NOBODY = joinLines([`The NAC has ${NO_SESSIONS.state}.`, sentence([NO_SESSIONS.cure])], ' ');
const ASK_NAC = 'Please ask those who run the NAC.';
const operatorCan = (outcome: Outcome) => `The bot's operator can ${cureFor('NAC', outcome)}.`;
const TOO_MANY = 'The NAC, or what stands in front of it, gets too many requests now.';
const REFUSED = "The NAC does not accept the bot's user name and password (401).";
const OWN_REFUSED = line`The NAC does not accept your user name and password (401), so I have forgotten them: they are wrong, or your account has no monitoring role. Type ${'connect'} to give them again.`;

type Row = readonly [words: string, reason?: Verdict['reason'], next?: string];

const WITHOUT_SESSION: Wording<WithoutSession, DeviceAnswer, Row> = {
  'no session'(_, answer) {
    if (answer.isNobodySeen) return ['no session', SEES_NOBODY];
    if (answer.attempts?.length) return ['no session', (formatter) => attemptsText(answer, formatter)];
    // The NAC learns IP addresses late, and of some devices never.
    const next = isMacAddress(answer.asked)
      ? 'Is the device plugged in and awake?'
      : 'It may know the device by its MAC address alone, so try that.';
    return ['no session', 'The NAC knows of no current session.', next];
  },
  'no device': () => [
    'not one device',
    'This address stands for none, for all or for a group of devices, so there is nothing to look up.',
    'Give me the address of one device.',
  ],
  refused: (outcome) =>
    outcome.whose === 'person'
      ? ['credentials refused', OWN_REFUSED]
      : ['credentials refused', REFUSED, operatorCan(outcome)],
  forbidden: () => [
    'not allowed',
    'The NAC knows the account, but the account may not read sessions (403).',
    'On Cisco ISE, the account needs the role MnT Admin.',
  ],
  fault(outcome) {
    const { status, part } = outcome;
    if (status === 429) return ['too many requests (429)', TOO_MANY, 'Please try again later.'];
    const reason = part && `Its ${part} is not available.`;
    const next = status === 404 ? operatorCan(outcome) : ASK_NAC;
    return [`the NAC reported a fault (HTTP status ${status})`, reason, next];
  },
  unusable(outcome) {
    if (outcome.reason === 'empty')
      return [`the NAC's answer was empty (HTTP status ${outcome.status})`, undefined, ASK_NAC];
    if (outcome.reason !== 'redirect') return unusable(outcome.reason);
    const { status, to } = outcome;
    const place = to === undefined ? ['It names no other host'] : line`It sends the bot to ${to}`;
    const reason = line`${place}; the bot does not follow, because the password would go along.`;
    return [`the NAC redirects (HTTP status ${status})`, reason, operatorCan(outcome)];
  },
  'no answer'(outcome) {
    const { fault } = outcome;
    const words = noAnswerText('the NAC', fault);
    if (fault.kind === 'untrusted') return [words, undefined, operatorCan(outcome)];
    if (fault.kind === 'unreachable')
      return [words, 'The NAC or the network between is down, or NAC_URL is wrong.'];
    if (fault.kind !== 'timed out') return unusable(fault.kind);
    if (fault.begun) return unusable('endless');
    return ['time-out', `The NAC did not answer within ${fault.timeoutMs / 1000} s.`];
  },
  paused: ({ isForAll, until }) => [
    'not asked',
    ({ timeLeft }) =>
      isForAll
        ? `The NAC failed several times in a row. I leave it alone for ${timeLeft(until)} more.`
        : `The NAC gave no answer about the last five devices that you asked for. I ask for you again in ${timeLeft(until)}.`,
  ],
  resting: ({ until }) => [
    'not asked',
    ({ timeLeft }) =>
      `The NAC refused the bot's credentials. I leave them alone for ${timeLeft(until)} more, so that the account does not get locked.`,
    operatorCan({ kind: 'refused' }),
  ],
  busy: () => ['not asked', 'Too many lookups are waiting for the NAC.', 'Please try again in a minute.'],
  disconnected: () => ['not asked', 'Your account changed while this lookup waited.', 'Please ask again.'],
  'given up': () => [
    'not asked',
    'The NAC was down all the time, so I gave up after 10 minutes.',
    'Please look up again later.',
  ],
};

const UNUSABLE = {
  'too large': 'too large (over 1 MB)',
  'cut off': 'it was cut off before its end',
  endless: 'it began but did not end in time',
  'login page': 'a web page came instead of a session, perhaps a login page',
  unknown: 'I do not know its form',
};

function unusable(reason: keyof typeof UNUSABLE): Row {
  const next = reason === 'login page' ? operatorCan({ kind: 'unusable' }) : ASK_NAC;
  return [`the NAC's answer was not usable: ${UNUSABLE[reason]}`, undefined, next];
}

export const postFaultText = (post: PostFault): string => wordingFor(post, POST_FAULTS, undefined);

const POST_FAULTS: Wording<PostFault, undefined, string> = {
  'not found': () => 'its webhook does not exist (not found)',
  suspended: () => 'its webhook is suspended: somebody has to switch it on again, or make a new one',
  rejected: ({ status }) => `its webhook rejected them (HTTP status ${status})`,
  'error verdict': () => 'its webhook answered with an error',
  failed: ({ status }) => `its webhook failed (HTTP status ${status})`,
  'no answer': ({ fault }) =>
    fault.kind === 'untrusted'
      ? `nothing was sent, ${untrustedText("the room's webhook", fault.reason)}`
      : noAnswerText('its webhook', fault, 'its webhook sent an answer that could not be read'),
};

/** The reason why a credential was not issued. Continues after "API key: " or "ticket: ". */
export const exchangeFaultText = (name: IssuedName, fault: ExchangeFault): string =>
  wordingFor(fault, EXCHANGE_FAULTS, `the ${name === 'ticket' ? 'ticket' : 'authorization'} service`);

const EXCHANGE_FAULTS: Wording<ExchangeFault, string, string> = {
  refused: (_, issuer) => `refused by ${issuer}: user name or password is wrong`,
  forbidden: (_, issuer) => `refused by ${issuer}: this account is not allowed`,
  redirected: (_, issuer) =>
    `${issuer} redirected to another address, and the bot does not send the password there`,
  fault: ({ status }, issuer) => `${issuer} reported a fault (HTTP status ${status})`,
  'no credential': (_, issuer) => `${issuer} answered without one`,
  'no answer': ({ fault }, issuer) => noAnswerText(issuer, fault, `${issuer} answered without one`),
};

/** The reason why a system gave no answer. @param unread stands for an answer that is not whole */
export function noAnswerText(system: string, fault: HttpFault, unread = ''): string {
  if (fault.kind === 'timed out')
    return `${system} did not answer within ${fault.timeoutMs / 1000} s (time-out)`;
  if (fault.kind === 'untrusted') return `not asked, ${untrustedText(system, fault.reason)}`;
  return fault.kind === 'unreachable' ? `${system} could not be reached` : unread;
}

function untrustedText(system: string, reason: TrustFault): string {
  if (reason === 'no common TLS')
    return `because the TLS handshake with ${system} failed, so the bot cannot trust the connection`;
  const why = reason === 'expired' ? 'expired or not yet valid' : reason;
  return `because the bot does not trust the certificate of ${system} (${why})`;
}
