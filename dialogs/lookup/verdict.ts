import { isMacAddress } from '../../src/domain/device-address.ts';
import type { HttpFault, LookupOutcome, NoDevice } from '../../src/domain/outcome.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import { type SessionEnd, timeOf } from '../../src/domain/session-signs.ts';
import { stateOf } from '../../src/domain/session-state.ts';
import type { Tone } from '../format/card.ts';
import { type Line, line, shorten } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { sayRejection, timeAndAge } from './facts.ts';
import { sayUntrusted } from './fault-words.ts';

/** The verdict on one device. Every outcome has its own sentence. */
export function verdictOf({ asked, outcome }: DeviceAnswer, format: Format): Verdict {
  switch (outcome.kind) {
    case 'found':
      return verdictOn(outcome.record, format);
    case 'no session':
      return isMacAddress(asked) ? NOTHING_FOUND['no session'] : NO_SESSION_AT_IP;
    case 'zero':
    case 'unspecified':
    case 'loopback':
    case 'broadcast':
    case 'multicast':
      return isMacAddress(asked) ? NOTHING_FOUND[outcome.kind] : withAdvice(NOTHING_FOUND[outcome.kind]);
    case 'resting':
    case 'busy':
    case 'paused':
    case 'disconnected':
      return { words: 'not asked', tone: 'Attention', meaning: sayNotAsked(outcome, format) };
    case 'given up':
      return { words: 'not asked', tone: 'Attention', meaning: GIVEN_UP };
    case 'refused':
    case 'forbidden':
    case 'fault':
    case 'unusable':
    case 'no answer':
      return { tone: 'Attention', ...sayFailure(outcome, format) };
  }
}

const NOTHING_FOUND: Readonly<Record<'no session' | NoDevice, Verdict>> = {
  'no session': {
    words: 'no session',
    tone: 'Default',
    meaning: line`The NAC knows of no current session. Is the device plugged in and awake?`,
  },
  zero: {
    words: 'all zeros',
    tone: 'Default',
    meaning: line`This address stands for no device, so there is nothing to look up.`,
  },
  unspecified: {
    words: 'the unspecified address',
    tone: 'Default',
    meaning: line`This address stands for no device, so there is nothing to look up.`,
  },
  loopback: {
    words: 'a loopback address',
    tone: 'Default',
    meaning: line`Every device has this address for itself, so there is nothing to look up.`,
  },
  broadcast: {
    words: 'the broadcast address',
    tone: 'Default',
    meaning: line`This address stands for all devices, so there is nothing to look up.`,
  },
  multicast: {
    words: 'a multicast address',
    tone: 'Default',
    meaning: line`This address stands for a group of devices, so there is nothing to look up.`,
  },
};

const GIVEN_UP = line`The NAC was down all the time, so I gave up after 10 minutes. Please look up again later.`;
const CHECK_ACCOUNT = 'Whoever runs the bot can check NAC_USERNAME and NAC_PASSWORD.';
const ASK_NAC = 'Please ask those who run the NAC.';

function withAdvice({ meaning = [], ...verdict }: Verdict): Verdict {
  return { ...verdict, meaning: line`${meaning} Give me the address of one device.` };
}

/** The NAC learns IP addresses late, and of some devices never. */
const NO_SESSION_AT_IP: Verdict = {
  words: 'no session',
  tone: 'Default',
  meaning: line`The NAC knows of no current session with this IP address. It may know the device by its MAC address alone, so try that.`,
};

type Outcome<Kind extends LookupOutcome['kind']> = Extract<LookupOutcome, { kind: Kind }>;

function sayNotAsked(outcome: Outcome<'resting' | 'busy' | 'paused' | 'disconnected'>, format: Format): Line {
  switch (outcome.kind) {
    case 'resting':
      return [
        `The NAC refused the bot's credentials. I leave them alone for ${format.timeLeft(outcome.until)} more, so that the account does not get locked. ${CHECK_ACCOUNT}`,
      ];
    case 'busy':
      return line`Too many lookups are waiting for the NAC. Please try again in a minute.`;
    case 'disconnected':
      return line`You disconnected while this lookup waited. Please ask again; the account of the bot is used then.`;
    case 'paused':
      return [
        outcome.isForAll
          ? `The NAC failed several times in a row. I leave it alone for ${format.timeLeft(outcome.until)} more.`
          : `The NAC gave no answer about the last five devices that you asked for. I ask for you again in ${format.timeLeft(outcome.until)}.`,
      ];
  }
}

type Failure = Outcome<'refused' | 'forbidden' | 'fault' | 'unusable' | 'no answer'>;

function sayFailure(outcome: Failure, format: Format): Pick<Verdict, 'words' | 'meaning'> {
  switch (outcome.kind) {
    case 'refused':
      return { words: 'credentials refused', meaning: sayRefused(outcome, format) };
    case 'forbidden':
      return {
        words: 'not allowed',
        meaning: [
          `The NAC knows ${outcome.whose === 'person' ? 'your' : "the bot's"} account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.`,
        ],
      };
    case 'fault':
      return { words: `the NAC reported a fault (HTTP status ${outcome.status})`, meaning: [ASK_NAC] };
    case 'unusable':
      return sayUnusable(outcome.reason);
    case 'no answer':
      return sayNoAnswer(outcome.fault, format);
  }
}

function sayUnusable(reason: keyof typeof UNUSABLE): Pick<Verdict, 'words' | 'meaning'> {
  return {
    words: `the NAC's answer was not usable: ${UNUSABLE[reason]}`,
    meaning: [
      reason === 'login page'
        ? 'Whoever runs the bot can check whether NAC_URL names the monitoring node.'
        : ASK_NAC,
    ],
  };
}

function sayNoAnswer(fault: HttpFault, format: Format): Pick<Verdict, 'words' | 'meaning'> {
  switch (fault.kind) {
    case 'too large':
    case 'cut off':
      return sayUnusable(fault.kind);
    case 'timed out':
      if (fault.begun) return sayUnusable('endless');
      return {
        words: 'time-out',
        meaning: [`The NAC did not answer within ${format.number(fault.timeoutMs / 1000)} s.`],
      };
    case 'untrusted':
      return {
        words: `not asked, ${sayUntrusted('the NAC', fault.reason)}`,
        meaning: ['Whoever runs the bot can check NAC_TLS.'],
      };
    case 'unreachable':
      return {
        words: 'the NAC could not be reached',
        meaning: ['The NAC or the network between is down, or NAC_URL is wrong.'],
      };
  }
}

function sayRefused(outcome: Outcome<'refused'>, format: Format): Line {
  if (outcome.whose === 'person') {
    return line`The NAC does not accept your user name and password (401), so I have forgotten them. Type ${'connect'} to give them again.`;
  }
  const rest =
    outcome.restsUntil === undefined
      ? ''
      : ` I do not try them again for ${format.timeLeft(outcome.restsUntil)}.`;
  return [`The NAC does not accept the bot's user name and password (401).${rest} ${CHECK_ACCOUNT}`];
}

const UNUSABLE = {
  'too large': 'too large (over 1 MB)',
  'cut off': 'it was cut off before its end',
  endless: 'it began but did not end in time',
  'login page': 'a login page came instead of a session',
  unknown: 'it holds no session in a form that I know',
};

/** The result for one device: a few words of ours that suffice on a lock screen, and what they mean. */
export type Verdict = { words: string; tone: Tone; meaning?: Line };

/** The verdict on a session, by everything that its record says. */
export function verdictOn(record: SessionRecord, format: Format): Verdict {
  const state = stateOf(record);
  switch (state.kind) {
    case 'rejected':
      return withMeaning({ words: 'rejected', tone: 'Attention' }, sayRejection(record));
    case 'ended':
      return withMeaning({ words: 'ended', tone: 'Default' }, sayEnd(state, format));
    case 'quarantined':
      return withMeaning(
        { words: 'quarantined', tone: 'Attention' },
        state.by === undefined ? undefined : line`By ${shorten(state.by)}.`,
      );
    case 'held':
      return { words: `${state.why}: waiting`, tone: 'Default' };
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

function withMeaning(verdict: Verdict, meaning: Line | undefined): Verdict {
  return meaning ? { ...verdict, meaning } : verdict;
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
