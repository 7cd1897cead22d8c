import type { ExchangeFault, IssuedName } from '../../src/credentials/exchanges.ts';
import { isMacAddress } from '../../src/domain/device-address.ts';
import {
  type DeviceOutcome,
  groupOf,
  type HttpFault,
  type NoDevice,
  type TrustFault,
} from '../../src/domain/outcome.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import { type SessionEnd, stateOf, timeOf } from '../../src/domain/session-state.ts';
import type { Delivery } from '../../src/webhook/delivery.ts';
import type { PostFault } from '../../src/webhook/sender.ts';
import type { Tone } from '../format/card.ts';
import { type Line, line, shorten } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { sayRejection, timeAndAge } from './facts.ts';

/** The result for one device: a few words of ours that suffice on a lock screen, and what they mean. */
type Verdict = { words: string; tone: Tone; meaning?: Line | undefined };

/** The verdict on one device. Every outcome has its own sentence. */
export function verdictOf({ asked, outcome }: DeviceAnswer, format: Format): Verdict {
  if (outcome.kind === 'found') return verdictOn(outcome.record, format);
  const isCalm = ['none', 'not a device'].includes(groupOf(outcome));
  return { tone: isCalm ? 'Default' : 'Attention', ...sayOutcome(outcome, isMacAddress(asked), format) };
}

/** The verdict on a session, by everything that its record says. */
function verdictOn(record: SessionRecord, format: Format): Verdict {
  const state = stateOf(record);
  switch (state.kind) {
    case 'rejected':
      return { words: 'rejected', tone: 'Attention', meaning: sayRejection(record) };
    case 'ended':
      return { words: 'ended', tone: 'Default', meaning: sayEnd(state, format) };
    case 'quarantined':
      return {
        words: 'quarantined',
        tone: 'Attention',
        meaning: state.by === undefined ? undefined : line`By ${shorten(state.by)}.`,
      };
    case 'redirected':
      return { words: `${state.to}: waiting`, tone: 'Default' };
    case 'posture pending':
      return { words: 'connected, posture pending', tone: 'Default' };
    case 'not compliant':
      return { words: 'connected, not compliant', tone: 'Attention' };
    case 'connected':
      return { words: 'connected', tone: 'Good' };
    case 'unknown':
      return { words: 'session found', tone: 'Default' };
  }
}

/** When and why a session ended; undefined if the NAC said neither. */
function sayEnd({ at, cause }: SessionEnd, format: Format): Line | undefined {
  const ms = timeOf(at);
  const when = ms === undefined ? at && line`${shorten(at)}` : [timeAndAge(ms, format)];
  const why = cause === undefined ? undefined : line`cause: ${shorten(cause)}`;
  if (when && why) return line`${when}, ${why}.`;
  if (when) return line`${when}.`;
  return why && line`The ${why}.`;
}

type Said = { words: string; meaning: Line };

/** Says why a lookup has no session to show. @param isMac whether the device was asked for by its MAC address */
function sayOutcome(
  outcome: Exclude<DeviceOutcome, { kind: 'found' }>,
  isMac: boolean,
  format: Format,
): Said {
  switch (outcome.kind) {
    case 'no session':
      return said('no session', isMac ? WORDS.noSession : WORDS.noSessionAtIp);
    case 'zero':
    case 'unspecified':
    case 'loopback':
    case 'broadcast':
    case 'multicast': {
      const [words, why] = NO_DEVICE[outcome.kind];
      return said(words, `${why}, so there is nothing to look up.${isMac ? '' : WORDS.oneDevice}`);
    }
    case 'refused':
      if (outcome.whose === 'person') return { words: 'credentials refused', meaning: OWN_REFUSED };
      return said('credentials refused', WORDS.refused(outcome.restsUntil, format));
    case 'forbidden':
      return said('not allowed', WORDS.forbidden(outcome.whose === 'person' ? 'your' : "the bot's"));
    case 'fault':
      return said(`the NAC reported a fault (HTTP status ${outcome.status})`, WORDS.askNac);
    case 'unusable':
      return sayUnusable(outcome.reason);
    case 'no answer':
      return saySilence(outcome.fault, format);
    case 'paused': {
      const why = outcome.isForAll ? WORDS.paused : WORDS.pausedAlone;
      return said('not asked', why(format.timeLeft(outcome.until)));
    }
    case 'resting':
      return said('not asked', WORDS.resting(format.timeLeft(outcome.until)));
    case 'busy':
    case 'disconnected':
    case 'given up':
      return said('not asked', NOT_ASKED[outcome.kind]);
  }
}

const CHECK_ACCOUNT = 'Whoever runs the bot can check NAC_USERNAME and NAC_PASSWORD.';

const WORDS = {
  noSession: 'The NAC knows of no current session. Is the device plugged in and awake?',
  /** The NAC learns IP addresses late, and of some devices never. */
  noSessionAtIp:
    'The NAC knows of no current session with this IP address. It may know the device by its MAC address alone, so try that.',
  oneDevice: ' Give me the address of one device.',
  refused(restsUntil: number | undefined, format: Format) {
    const rest =
      restsUntil === undefined ? '' : ` I do not try them again for ${format.timeLeft(restsUntil)}.`;
    return `The NAC does not accept the bot's user name and password (401).${rest} ${CHECK_ACCOUNT}`;
  },
  forbidden: (whose: string) =>
    `The NAC knows ${whose} account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.`,
  resting: (left: string) =>
    `The NAC refused the bot's credentials. I leave them alone for ${left} more, so that the account does not get locked. ${CHECK_ACCOUNT}`,
  paused: (left: string) => `The NAC failed several times in a row. I leave it alone for ${left} more.`,
  pausedAlone: (left: string) =>
    `The NAC gave no answer about the last five devices that you asked for. I ask for you again in ${left}.`,
  timedOut: (seconds: string) => `The NAC did not answer within ${seconds} s.`,
  unreachable: 'The NAC or the network between is down, or NAC_URL is wrong.',
  checkTls: 'Whoever runs the bot can check NAC_TLS.',
  checkNode: 'Whoever runs the bot can check whether NAC_URL names the monitoring node.',
  askNac: 'Please ask those who run the NAC.',
};

const OWN_REFUSED = line`The NAC does not accept your user name and password (401), so I have forgotten them. Type ${'connect'} to give them again.`;

const NO_DEVICE: Readonly<Record<NoDevice, readonly [words: string, why: string]>> = {
  zero: ['all zeros', 'This address stands for no device'],
  unspecified: ['the unspecified address', 'This address stands for no device'],
  loopback: ['a loopback address', 'Every device has this address for itself'],
  broadcast: ['the broadcast address', 'This address stands for all devices'],
  multicast: ['a multicast address', 'This address stands for a group of devices'],
};

const NOT_ASKED = {
  busy: 'Too many lookups are waiting for the NAC. Please try again in a minute.',
  disconnected:
    'You disconnected while this lookup waited. Please ask again; the account of the bot is used then.',
  'given up': 'The NAC was down all the time, so I gave up after 10 minutes. Please look up again later.',
};

const UNUSABLE = {
  'too large': 'too large (over 1 MB)',
  'cut off': 'it was cut off before its end',
  endless: 'it began but did not end in time',
  'login page': 'a login page came instead of a session',
  unknown: 'it holds no session in a form that I know',
};

function said(words: string, meaning: string): Said {
  return { words, meaning: [meaning] };
}

function sayUnusable(reason: keyof typeof UNUSABLE): Said {
  const meaning = reason === 'login page' ? WORDS.checkNode : WORDS.askNac;
  return said(`the NAC's answer was not usable: ${UNUSABLE[reason]}`, meaning);
}

function saySilence(fault: HttpFault, format: Format): Said {
  if (fault.kind === 'untrusted') return said(sayNoAnswer('the NAC', fault), WORDS.checkTls);
  if (fault.kind === 'unreachable') return said(sayNoAnswer('the NAC', fault), WORDS.unreachable);
  if (fault.kind !== 'timed out') return sayUnusable(fault.kind);
  if (fault.begun) return sayUnusable('endless');
  return said('time-out', WORDS.timedOut(format.number(fault.timeoutMs / 1000)));
}

/** Says what became of the room's post: a lookup's tokens, or an alert's devices. Contains no foreign text. */
export function sayDelivery(
  { outcome, partly, kept }: Delivery,
  what: 'tokens' | 'devices' = 'tokens',
): string {
  if (outcome.kind === 'posted') return `The ${what} were posted to the room.`;
  if (outcome.kind === 'waiting')
    return `The ${what} are not posted yet, because the room did not take them at first. I keep trying for 24 hours.`;
  const opening = partly
    ? `Some of the ${what} were posted to the room; the rest were not posted`
    : `The ${what} were not posted to the room`;
  const fault = `${opening}: ${sayPostFault(outcome)}.`;
  if (kept) return `${fault} I keep trying for 24 hours.`;
  const isUntrusted = outcome.kind === 'no answer' && outcome.fault.kind === 'untrusted';
  const settings = isUntrusted ? 'WEBHOOK_TLS' : 'WEBHOOK_URL and WEBHOOK_TOKEN';
  return `${fault} Please pass them on yourself. Whoever runs the bot can check ${settings}.`;
}

/** Says why the room's webhook did not take a post. */
export function sayPostFault(post: PostFault): string {
  switch (post.kind) {
    case 'not found':
      return 'its webhook does not exist (not found)';
    case 'rejected':
      return `its webhook rejected them (HTTP status ${post.status})`;
    case 'error verdict':
      return 'its webhook answered with an error';
    case 'failed':
      return `its webhook failed (HTTP status ${post.status})`;
    case 'no answer':
      return post.fault.kind === 'untrusted'
        ? `nothing was sent, ${sayUntrusted("the room's webhook", post.fault.reason)}`
        : sayNoAnswer('its webhook', post.fault, 'its webhook sent an answer that could not be read');
  }
}

/** The system that issues each credential. */
const ISSUERS: Readonly<Record<IssuedName, string>> = {
  'API key': 'the authorization service',
  ticket: 'the ticket service',
};

/** Says why a credential was not issued. Continues after "API key: " or "ticket: ". */
export function sayExchangeFault(name: IssuedName, fault: ExchangeFault): string {
  const issuer = ISSUERS[name];
  const none = `${issuer} answered without a ${name === 'API key' ? 'key' : 'ticket'}`;
  switch (fault.kind) {
    case 'refused':
      return `refused by ${issuer}: user name or password is wrong`;
    case 'forbidden':
      return `refused by ${issuer}: this account is not allowed`;
    case 'redirected':
      return `${issuer} redirected ${REDIRECTED[fault.reason]}`;
    case 'fault':
      return `${issuer} reported a fault (HTTP status ${fault.status})`;
    case 'no credential':
      return none;
    case 'no answer':
      return sayNoAnswer(issuer, fault.fault, none);
  }
}

const REDIRECTED = {
  'another origin': 'to another address, and the bot does not send the password there',
  'too many': 'more than 5 times',
  'no address': 'without an address',
};

/** Says why a system gave no answer. @param unread what is said of an answer that came, but not whole */
function sayNoAnswer(system: string, fault: HttpFault, unread = ''): string {
  switch (fault.kind) {
    case 'timed out':
      return `${system} did not answer within ${fault.timeoutMs / 1000} s (time-out)`;
    case 'untrusted':
      return `not asked, ${sayUntrusted(system, fault.reason)}`;
    case 'unreachable':
      return `${system} could not be reached`;
    case 'too large':
    case 'cut off':
      return unread;
  }
}

/** Says why the bot does not trust a system. Continues after a comma. */
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
