import type { ExchangeFault, IssuedName } from '../../src/credentials/exchanges.ts';
import { type DeviceAddress, isMacAddress, isUserQuery } from '../../src/domain/device-address.ts';
import { type DeviceOutcome, groupOf, type HttpFault, type TrustFault } from '../../src/domain/outcome.ts';
import { type SessionEnd, type SessionRecord, type SessionState, stateOf } from '../../src/domain/record.ts';
import type { Delivery } from '../../src/webhook/posts.ts';
import type { PostFault } from '../../src/webhook/sender.ts';
import type * as card from '../format/card.ts';
import { joinLines, type Line, line, type Reader, type Table, toRoom, wordsFor } from '../format/words.ts';
import { sayHistory } from './attempts.ts';
import { type DeviceAnswer, recordOf, tokensOf } from './device-answer.ts';
import { failedPoliciesOf, placeOf, quoted, sayTime } from './facts.ts';
import { CHAINING, sayRejection } from './hints.ts';

/** The first line about a device in text, row, room and thread: what it is called, the verdict in our words, and why. */
export function firstLine(name: Line, words: string, why: Line = []): Line {
  return line`${name}: ${[words]}.${why.length > 0 ? line` ${why}` : []}`;
}

/** A device in a post to the room: its address, verdict, place and why, then each token literally on a line of its own. */
export function roomBlock(answer: DeviceAnswer, why: Line = []): string {
  const { words } = verdictOf(answer);
  const first = joinLines([line`${answer.address} ${[words]}`, ...placeOf(recordOf(answer))], ', ');
  return [toRoom(why.length > 0 ? line`${first}. ${why}` : first), ...tokensOf(answer)].join('\n');
}

type Meaning = string | Line | ((reader: Reader) => string | Line);

/** The result for one device: a few words of ours that suffice on a lock screen, and what they mean. */
type Verdict = { words: string; tone: card.Tone; meaning?: Meaning };

export function verdictOf(answer: DeviceAnswer): Verdict {
  const { outcome } = answer;
  if (outcome.kind === 'found') return wordsFor(stateOf(outcome.record), SESSIONS, outcome.record);
  const isCalm = ['none', 'not a device'].includes(groupOf(outcome));
  const [words, meaning] = wordsFor(outcome, NO_SESSION, answer);
  return { words, tone: isCalm ? 'Default' : 'Attention', meaning };
}

export function meaningOf(answer: DeviceAnswer, reader: Reader): Line {
  const { meaning = [] } = verdictOf(answer);
  const said = typeof meaning === 'function' ? meaning(reader) : meaning;
  return typeof said === 'string' ? [said] : said;
}

const SESSIONS: Table<SessionState, SessionRecord, Verdict> = {
  rejected: (_, record) => ({ words: 'rejected', tone: 'Attention', meaning: sayRejection(record) }),
  ended: (end) => ({ words: 'ended', tone: 'Default', meaning: (reader) => sayEnd(end, reader) }),
  quarantined: (_, record) => ({ words: 'quarantined', tone: 'Attention', meaning: sayQuarantine(record) }),
  redirected: ({ to }) =>
    to === 'blocked' ? { words: to, tone: 'Attention' } : { words: `${to}: waiting`, tone: 'Default' },
  'posture pending': () => ({ words: 'connected, posture pending', tone: 'Default' }),
  'not compliant'(_, record) {
    const failed = failedPoliciesOf(record);
    const meaning = failed.length > 0 ? line`It failed ${failed}.` : [];
    return { words: 'connected, not compliant', tone: 'Attention', meaning };
  },
  connected: (_, { chaining }) =>
    chaining
      ? { words: `connected, ${chaining}`, tone: 'Default', meaning: [CHAINING[chaining]] }
      : { words: 'connected', tone: 'Good' },
  unknown: () => ({ words: 'session found', tone: 'Default' }),
};

/** Names what says so, and the rule beside it. */
function sayQuarantine({ quarantine = {}, rule }: SessionRecord): Line {
  const { by, as = 'profile' } = quarantine;
  const named = by === rule ? [] : quoted(by).map((name) => line`${[as]} ${name}`);
  const [first, ...rest] = joinLines([...named, ...quoted(rule).map((name) => line`rule ${name}`)], ', ');
  return typeof first === 'string' ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest, '.'] : [];
}

function sayEnd({ at, cause }: SessionEnd, reader: Reader): Line {
  const when = at ? [sayTime(at, reader)] : [];
  const why = quoted(cause).map((each) => line`${[at ? 'cause' : 'The cause']}: ${each}`);
  const said = joinLines([...when, ...why], ', ');
  return said.length > 0 ? [...said, '.'] : [];
}

type Said = readonly [words: string, meaning: Meaning];

/** Source: Cisco ISE's monitoring node shows only what the others log to it. */
const SEES_NOBODY =
  'The NAC shows no session for anyone now, so its monitoring node may get no logs. Those who run the NAC can check that node, and where the others log to.';

const CHECK_ACCOUNT =
  'Whoever runs the bot can check NAC_USERNAME and NAC_PASSWORD, and that the account has a monitoring role (MnT Admin).';
const ASK_NAC = 'Please ask those who run the NAC.';

function sayAbsent(asked: DeviceAddress): string {
  if (isMacAddress(asked)) return 'The NAC knows of no current session. Is the device plugged in and awake?';
  const by = isUserQuery(asked) ? 'for this user name' : 'with this IP address';
  // The NAC learns IP addresses late, and of some devices never.
  return `The NAC knows of no current session ${by}. It may know the device by its MAC address alone, so try that.`;
}

/** Why a lookup has no session to show. */
const NO_SESSION: Table<Exclude<DeviceOutcome, { kind: 'found' }>, DeviceAnswer, Said> = {
  'no session': (_, answer) => {
    const meaning = (reader: Reader) => sayHistory(answer, reader) ?? sayAbsent(answer.asked);
    return ['no session', answer.isNobodySeen ? SEES_NOBODY : meaning];
  },
  zero: noDevice('all zeros', 'This address stands for no device'),
  unspecified: noDevice('the unspecified address', 'This address stands for no device'),
  loopback: noDevice('a loopback address', 'Every device has this address for itself'),
  broadcast: noDevice('the broadcast address', 'This address stands for all devices'),
  multicast: noDevice('a multicast address', 'This address stands for a group of devices'),
  refused(outcome) {
    const words = 'credentials refused';
    if (outcome.whose === 'person') return [words, OWN_REFUSED];
    const { restsUntil } = outcome;
    const sayRest = ({ timeLeft }: Reader) =>
      restsUntil === undefined ? '' : ` I do not try them again for ${timeLeft(restsUntil)}.`;
    const refused = "The NAC does not accept the bot's user name and password (401).";
    return [words, (reader) => `${refused}${sayRest(reader)} ${CHECK_ACCOUNT}`];
  },
  forbidden: ({ whose }) => [
    'not allowed',
    `The NAC knows ${whose === 'person' ? 'your' : "the bot's"} account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.`,
  ],
  fault: ({ status }) => [`the NAC reported a fault (HTTP status ${status})`, ASK_NAC],
  unusable: ({ reason }) => sayUnusable(reason),
  'no answer': ({ fault }, answer) => saySilence(fault, answer),
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
      `The NAC refused the bot's credentials. I leave them alone for ${timeLeft(until)} more, so that the account does not get locked. ${CHECK_ACCOUNT}`,
  ],
  busy: () => ['not asked', 'Too many lookups are waiting for the NAC. Please try again in a minute.'],
  disconnected: () => [
    'not asked',
    'You disconnected while this lookup waited. Please ask again; the account of the bot is used then.',
  ],
  'given up': () => [
    'not asked',
    'The NAC was down all the time, so I gave up after 10 minutes. Please look up again later.',
  ],
};

const OWN_REFUSED = line`The NAC does not accept your user name and password (401), so I have forgotten them: they are wrong, or your account has no monitoring role. Type ${'connect'} to give them again.`;

function noDevice(words: string, why: string) {
  return (_: object, { asked }: DeviceAnswer): Said => [
    words,
    `${why}, so there is nothing to look up.${isMacAddress(asked) ? '' : ' Give me the address of one device.'}`,
  ];
}

const UNUSABLE = {
  'too large': 'too large (over 1 MB)',
  'cut off': 'it was cut off before its end',
  endless: 'it began but did not end in time',
  'login page': 'a login page came instead of a session',
  unknown: 'it holds no session in a form that I know',
};

function sayUnusable(reason: keyof typeof UNUSABLE): Said {
  const checkNode = 'Whoever runs the bot can check whether NAC_URL names the monitoring node.';
  const words = `the NAC's answer was not usable: ${UNUSABLE[reason]}`;
  return [words, reason === 'login page' ? checkNode : ASK_NAC];
}

function saySilence(fault: HttpFault, { isNacKnown }: DeviceAnswer): Said {
  const words = sayNoAnswer('the NAC', fault);
  if (fault.kind === 'untrusted') return [words, 'Whoever runs the bot can check NAC_TLS.'];
  if (fault.kind === 'unreachable')
    return [words, `The NAC or the network between is down${isNacKnown ? '' : ', or NAC_URL is wrong'}.`];
  if (fault.kind !== 'timed out') return sayUnusable(fault.kind);
  if (fault.begun) return sayUnusable('endless');
  return ['time-out', ({ number }) => `The NAC did not answer within ${number(fault.timeoutMs / 1000)} s.`];
}

/** Says what became of the room's post: a lookup's tokens, or an alert's devices. Contains no foreign text. */
export function sayDelivery({ outcome, partly, kept }: Delivery, what: 'tokens' | 'devices' = 'tokens') {
  if (outcome.kind === 'posted') return `The ${what} were posted to the room.`;
  if (outcome.kind === 'waiting')
    return `The ${what} are not posted yet, because the room did not take them at first. I keep trying for 24 hours.`;
  if (outcome.kind === 'under way')
    return kept
      ? `The ${what} are on their way to the room.`
      : `The room has not taken the ${what} yet, and I cannot promise that it will. Please look there.`;
  const opening = partly
    ? `Some of the ${what} were posted to the room; the rest were not posted`
    : `The ${what} were not posted to the room`;
  const fault = `${opening}: ${sayPostFault(outcome)}.`;
  if (kept) return `${fault} I keep trying for 24 hours.`;
  const isUntrusted = outcome.kind === 'no answer' && outcome.fault.kind === 'untrusted';
  const settings = isUntrusted ? 'WEBHOOK_TLS' : 'WEBHOOK_URL and WEBHOOK_TOKEN';
  return `${fault} Please pass them on yourself. Whoever runs the bot can check ${settings}.`;
}

export function sayPostFault(post: PostFault): string {
  return wordsFor(post, POST_FAULTS, undefined);
}

const POST_FAULTS: Table<PostFault, undefined, string> = {
  'not found': () => 'its webhook does not exist (not found)',
  suspended: () => 'its webhook is suspended: somebody has to switch it on again, or make a new one',
  rejected: ({ status }) => `its webhook rejected them (HTTP status ${status})`,
  'error verdict': () => 'its webhook answered with an error',
  failed: ({ status }) => `its webhook failed (HTTP status ${status})`,
  'no answer': ({ fault }) =>
    fault.kind === 'untrusted'
      ? `nothing was sent, ${sayUntrusted("the room's webhook", fault.reason)}`
      : sayNoAnswer('its webhook', fault, 'its webhook sent an answer that could not be read'),
};

const ISSUERS: Readonly<Record<IssuedName, { issuer: string; what: string }>> = {
  'API key': { issuer: 'the authorization service', what: 'key' },
  ticket: { issuer: 'the ticket service', what: 'ticket' },
};

/** Says why a credential was not issued. Continues after "API key: " or "ticket: ". */
export function sayExchangeFault(name: IssuedName, fault: ExchangeFault): string {
  const { issuer, what } = ISSUERS[name];
  return wordsFor(fault, EXCHANGE_FAULTS, { issuer, none: `${issuer} answered without a ${what}` });
}

const EXCHANGE_FAULTS: Table<ExchangeFault, { issuer: string; none: string }, string> = {
  refused: (_, { issuer }) => `refused by ${issuer}: user name or password is wrong`,
  forbidden: (_, { issuer }) => `refused by ${issuer}: this account is not allowed`,
  redirected: ({ reason }, { issuer }) => `${issuer} redirected ${REDIRECTED[reason]}`,
  fault: ({ status }, { issuer }) => `${issuer} reported a fault (HTTP status ${status})`,
  'no credential': (_, { none }) => none,
  'no answer': ({ fault }, { issuer, none }) => sayNoAnswer(issuer, fault, none),
};

const REDIRECTED = {
  'another origin': 'to another address, and the bot does not send the password there',
  'too many': 'more than 5 times',
  'no address': 'without an address',
};

/** Says why a system gave no answer. @param unread what is said of an answer that came, but not whole */
function sayNoAnswer(system: string, fault: HttpFault, unread = ''): string {
  if (fault.kind === 'timed out')
    return `${system} did not answer within ${fault.timeoutMs / 1000} s (time-out)`;
  if (fault.kind === 'untrusted') return `not asked, ${sayUntrusted(system, fault.reason)}`;
  return fault.kind === 'unreachable' ? `${system} could not be reached` : unread;
}

function sayUntrusted(system: string, reason: TrustFault): string {
  const certificate = `because the certificate of ${system}`;
  const distrust = `because the bot does not trust the certificate of ${system}`;
  const words: Record<TrustFault, string> = {
    'not acceptable': `${distrust} (not acceptable)`,
    'unknown authority': `${certificate} comes from an authority that the bot does not trust`,
    'wrong host name': `${distrust} (issued for another host name)`,
    expired: `${distrust} (expired or not yet valid)`,
    'wrong pin': `${certificate} does not match its pin`,
    'no common TLS': `because the TLS handshake with ${system} failed, so the bot cannot trust the connection`,
  };
  return words[reason];
}
