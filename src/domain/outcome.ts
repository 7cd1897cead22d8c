import type { AddressKind, DeviceAddress } from './device-address.ts';
import type { SessionRecord } from './record.ts';

export type TrustFault =
  | 'not acceptable'
  | 'unknown authority'
  | 'wrong host name'
  | 'expired'
  | 'wrong pin'
  | 'no common TLS';

/** Why a proxy let nothing through. `code`: the status of its answer, or the code of a network error. */
export type ProxyFault = { proxy: string; code: string };

export type HttpFault =
  /** The body exceeds `maxBytes`, packed or unpacked; the connection was closed. */
  | { kind: 'too large'; maxBytes: number }
  /** No whole answer came within `timeoutMs`. `begun`: the head came, but the body did not end. */
  | { kind: 'timed out'; timeoutMs: number; begun: boolean }
  /** The connection, or the packed data, ended before the answer was whole. */
  | { kind: 'cut off' }
  /** The other side's certificate was refused; no byte of the request was sent. */
  | { kind: 'untrusted'; reason: TrustFault }
  /** No connection was made, or the connection ended before the answer began. `proxy`: the way out failed, not the system. */
  | { kind: 'unreachable'; code: string; proxy?: ProxyFault };

/** A call without a whole answer. */
export type NoAnswer = { kind: 'no answer'; fault: HttpFault };

/** What the NAC said about one device. `refused`: 401, the credentials. `forbidden`: 403, the account may not read sessions. */
export type SessionOutcome = Answered | { kind: 'refused' } | { kind: 'forbidden' } | NoAnswer;

type Answered =
  | { kind: 'found'; tokens: readonly string[]; record: SessionRecord; text: string }
  | { kind: 'no session' }
  | { kind: 'fault'; status: number }
  | { kind: 'unusable'; reason: 'cut off' | 'login page' | 'unknown' };

/** Not asked, because the system failed too often, for all or for this asker alone. `until`: by the breaker's clock. */
export type Paused = { kind: 'paused'; until: number; isForAll: boolean };

/** Not asked, because the bot's own credentials rest after a refusal. `until`: by the steady clock. */
export type Resting = { kind: 'resting'; until: number };
/** Not asked, because so many questions wait that the answer would come too late to be of use. */
export type Busy = { kind: 'busy' };
/** Not asked, because the person disconnected while the question waited. */
export type Disconnected = { kind: 'disconnected' };
/** Whose account was used. `stand-in`: the bot's, because it is not known whether the person has one. */
export type Whose = 'service' | 'person' | 'stand-in';

/** What a person learns about one device. */
export type LookupOutcome =
  /** `account`: whose account was used, if not simply the bot's. */
  | (Answered & { account?: Exclude<Whose, 'service'> })
  /** The account, the bot's or the person's own, may not read sessions. */
  | { kind: 'forbidden'; whose: 'service' | 'person' }
  /** The NAC refused the credentials: the bot's own, which rest now, or the person's, which were forgotten. */
  | { kind: 'refused'; whose: 'service'; restsUntil: number | undefined }
  | { kind: 'refused'; whose: 'person' }
  | NoAnswer
  | (Paused | Resting | Busy | Disconnected);

/** Looks one device up for a person, with the person's own credentials if there are any. */
export type Lookup = (address: DeviceAddress, person: string) => Promise<LookupOutcome>;
/** What is known of one address. `given up`: the NAC was down until the bot stopped trying. */
export type DeviceOutcome = LookupOutcome | { kind: Exclude<AddressKind, 'device'> | 'given up' };
export type OutcomeGroup = 'found' | 'none' | 'not a device' | 'failed' | 'not asked';

const GROUPS: Readonly<Record<DeviceOutcome['kind'], OutcomeGroup>> = {
  found: 'found',
  'no session': 'none',
  zero: 'not a device',
  unspecified: 'not a device',
  loopback: 'not a device',
  broadcast: 'not a device',
  multicast: 'not a device',
  refused: 'failed',
  forbidden: 'failed',
  fault: 'failed',
  unusable: 'failed',
  'no answer': 'failed',
  paused: 'not asked',
  resting: 'not asked',
  busy: 'not asked',
  disconnected: 'not asked',
  'given up': 'not asked',
};

export const groupOf = ({ kind }: Pick<DeviceOutcome, 'kind'>) => GROUPS[kind];

/** A lookup's outcome by its name in metrics and audit lines. An answer that began counts as `unusable`. */
export function lookupName(outcome: DeviceOutcome): string {
  if (outcome.kind !== 'no answer') return outcome.kind;
  const { fault } = outcome;
  return isUnread(fault) || (fault.kind === 'timed out' && fault.begun) ? 'unusable' : fault.kind;
}

/** A post's outcome by its name in metrics, logs and dead letters. */
export function postName(outcome: { kind: string } | NoAnswer): string {
  if (!('fault' in outcome)) return outcome.kind;
  return isUnread(outcome.fault) ? 'no verdict' : outcome.fault.kind;
}

/** Whether an answer came, but not whole. */
const isUnread = ({ kind }: HttpFault) => kind === 'too large' || kind === 'cut off';

/** What a failure means for the asker, in one sentence, and what to do about it if anything can be done. */
export type Cause = { cause: string; cure?: string | undefined };

/** What a failure reason means, by the code that it begins with; undefined if our table does not know the code. */
export const causeOf = (reason: string | undefined) => CAUSES.get(codeOf(reason) ?? '');

export const codeOf = (reason: string | undefined) => /^\d{4,6}\b/.exec(reason ?? '')?.[0];

/** The most telling of the steps that the NAC took. Successful authentications can hold such steps, too. */
export function causeOfSteps(steps: readonly string[]): Cause | undefined {
  const known = steps.filter((code) => CAUSES.has(code));
  const isClear = (code: string) => !VAGUE.has(code);
  const told = TELLING.find((code) => known.includes(code)) ?? known.find(isClear) ?? known[0];
  return causeOf(told);
}

const TELLING = ['15039', '24408', '22056'];
/** Steps that say what follows a failure, not what failed. */
const VAGUE = new Set(['22028', '22057', '22058', '22061']);

const SUPPRESSED =
  'The cause is in an earlier attempt; the NAC lists the device under its rejected endpoints.';
const CHECK_TRUST = "Check whether it trusts the NAC's certificate.";

/** Source: Cisco ISE's message catalogue ("Failure Reasons" in its reports) and its troubleshooting guide. */
const ROWS: ReadonlyArray<readonly [code: number, cause: string, cure?: string]> = [
  [5411, 'The device stopped answering.', 'Is it asleep, or is its 802.1X service hung?'],
  [5417, 'The switch or controller did not carry out a change.', 'Check its settings for CoA.'],
  [5434, 'The NAC suppresses the device, because it failed several times in the same way.', SUPPRESSED],
  [5436, 'The switch or controller repeated its request too early.', 'Check its RADIUS time-out.'],
  [5440, 'The device broke off and started again. Often it is roaming, or the link is poor.'],
  [5441, 'The device started again before the NAC had answered.', 'Wait for its next attempt.'],
  [5449, 'The NAC suppresses the device: it failed so often that it is rejected unheard.', SUPPRESSED],
  [11007, 'The NAC does not know this switch or controller.'],
  [11036, 'The switch and the NAC have different shared secrets.'],
  [11213, 'The switch or controller did not answer a change.', 'Check its settings for CoA.'],
  [12153, "The device does not trust the NAC's certificate.", 'The device needs the authority behind it.'],
  [12308, 'The device itself called its PEAP login failed.', 'Check its 802.1X settings.'],
  [12309, 'Device and NAC could not build the PEAP tunnel.', 'Compare their TLS versions and certificates.'],
  [12321, "The device does not trust the NAC's certificate."],
  [12507, 'The login by certificate (EAP-TLS) failed.', "Check the device's certificate."],
  [12511, "The device refused the NAC's certificate or its TLS settings."],
  [12514, "The NAC does not trust the authority behind the device's certificate."],
  [12515, "The NAC's list of revoked certificates has expired.", 'Those who run the NAC can renew it.'],
  [12516, "The device's certificate has expired."],
  [12517, "The device's certificate, or one above it, was revoked.", 'The device needs a new certificate.'],
  [12519, "The NAC does not support the kind of the device's certificate.", 'The device needs another one.'],
  [12520, "The device does not trust the NAC's certificate.", 'The device needs the authority behind it.'],
  [12521, 'The device broke off the TLS handshake.', CHECK_TRUST],
  [12930, 'The device stopped answering when PEAP began.', 'Check its 802.1X settings.'],
  [12934, 'The device stopped answering in the PEAP handshake.', CHECK_TRUST],
  [12935, 'The device stopped answering while certificates were sent.', 'Check certificates, and the MTU.'],
  [12937, 'The device stopped answering when its password was due.', 'Perhaps it waits for its user.'],
  [15024, 'The NAC does not allow logins by PAP.', 'Allow PAP there, or use another method.'],
  [15039, 'The authorization policy rejects the device.'],
  [22028, 'The login failed, so the policy ended it.', 'The cause is in an earlier step.'],
  [22040, 'The password is wrong.'],
  [22044, 'The policy asks for a certificate, but a password came.', "Check the device's 802.1X settings."],
  [22056, 'The NAC finds no such user or device in its identity stores.'],
  [22057, 'An identity store did not accept the user or device.'],
  [22058, 'No identity store knows the user or device.', 'Check its spelling, or add it to a store.'],
  [22061, 'The login failed, so the policy rejected it.', 'The cause is in an earlier step.'],
  [22063, 'The password is wrong.', 'Enter the password again on the device.'],
  [24206, "The account is disabled in the NAC's own store.", 'Those who run the NAC can enable it.'],
  [24344, 'The login was refused by Active Directory.', 'Check user name and password.'],
  [24401, "The NAC's connection to Active Directory is down.", 'Those who run the NAC can restart it.'],
  [24403, 'The user was not accepted by Active Directory.', 'Check name, password and account.'],
  [24406, 'User name or password is wrong in Active Directory.', 'Enter both again on the device.'],
  [24407, 'The user has to change the password in Active Directory.', 'Change it, then log in again.'],
  [24408, 'The password is wrong in Active Directory.'],
  [24409, 'The account is disabled in Active Directory.', 'Those who run the domain can enable it.'],
  [24410, 'The account may not log in at this hour.', 'Check its logon hours in Active Directory.'],
  [24412, 'The user is not known in Active Directory.', 'Check the user name and its domain.'],
  [24415, 'The account is locked in Active Directory.'],
  [24429, 'The NAC could not reach Active Directory.', 'Those who run the NAC can check the way there.'],
  [24484, "The machine's password in Active Directory has expired.", 'Join the machine to the domain again.'],
  [24485, "The machine's password is wrong in Active Directory.", 'Join the machine to the domain again.'],
  [24492, 'The machine was not accepted by Active Directory.', "Check the machine's account there."],
];

export const CAUSES: ReadonlyMap<string, Cause> = new Map(
  ROWS.map(([code, cause, cure]) => [String(code), { cause, cure }]),
);

/** The last questions that found no session, the oldest first. One found session empties it. */
export type Sightings = readonly Question[];

/** `key`: the same for all that belongs to one question, or to one alert. `at`: milliseconds since 1970. */
type Question = { key: string; asker: string; at: number };

const QUESTIONS = 8;
const ASKERS = 3;
const WITHIN_MS = 3_600_000;

/** Notes a question that found no session at all. */
export function noteNone(sightings: Sightings, question: Question): Sightings {
  const others = sightings.filter(({ key }) => key !== question.key);
  return [...others, question].slice(-QUESTIONS);
}

/**
 * Whether the NAC seems to see nobody: eight questions of three askers within the last hour found no session. The likeliest
 * reason is a monitoring node that gets no logs; eight devices that are all away are less likely.
 */
export function seesNobody(sightings: Sightings, now: number): boolean {
  const askers = new Set(sightings.map(({ asker }) => asker));
  return (
    sightings.length === QUESTIONS &&
    askers.size >= ASKERS &&
    sightings.every(({ at }) => now - at <= WITHIN_MS)
  );
}
