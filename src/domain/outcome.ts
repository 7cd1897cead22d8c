import type { SessionRecord } from './session.ts';

type CertificateFault = 'unknown authority' | 'wrong host name' | 'expired' | 'wrong pin' | 'not acceptable';
export type TrustFault = CertificateFault | 'no common TLS';

/** Why a proxy let nothing through. `code`: the status of its answer, or the code of a network error. */
export type ProxyFault = { proxy: string; code: string };

export type HttpFault =
  /** The body exceeds 1 MB, packed or unpacked; the connection was closed. */
  | { kind: 'too large' }
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

/** The NAC's answer about one device. `refused`: 401, the credentials. `forbidden`: 403, the account may not read sessions. */
export type SessionOutcome =
  | { kind: 'refused' | 'forbidden' }
  | NoAnswer
  /** `node`: the address of the NAC that answered. */
  | { kind: 'found'; tokens: readonly string[]; record: SessionRecord; text: string; node?: string }
  | { kind: 'no session'; node?: string }
  /** `part`: the one that the NAC calls not available. */
  | { kind: 'fault'; status: number; part?: 'session directory' }
  | { kind: 'unusable'; reason: 'cut off' | 'login page' | 'unknown' }
  | { kind: 'unusable'; reason: 'empty'; status: number }
  /** `to`: the origin that the redirect names. */
  | { kind: 'unusable'; reason: 'redirect'; status: number; to: string | undefined };

/** Not asked, because the system failed too often, for all or for this asker alone. `until`: by the breaker's clock. */
export type Paused = { kind: 'paused'; until: number; isForAll: boolean };

/** Not asked, because the bot's own credentials rest after a refusal. `until`: by the steady clock. */
export type Resting = { kind: 'resting'; until: number };
/** Not asked. `refused`: the person's account was refused before. `disconnected`: the person disconnected meanwhile. */
export type NotTried = { kind: 'refused' | 'disconnected' } | Resting;
/** Not asked, because so many questions wait that the answer would come too late. */
export type Busy = { kind: 'busy' };
/** The account that was used, if not simply the bot's. `stand-in`: the bot's, because it is not known whether the person has one. */
export type Whose = { whose?: 'person' | 'stand-in' };

/** The outcome of a person's lookup. Refused credentials rest if they are the bot's own, and are forgotten if a person's. */
export type LookupOutcome = ((SessionOutcome | NotTried) & Whose) | Paused | Busy;

/** The outcome for one address. `given up`: the NAC was down until the bot stopped trying. */
export type DeviceOutcome = LookupOutcome | { kind: 'no device' | 'given up' };

/** `not known`: the NAC was not asked, or did not say. */
export function groupOf({ kind }: Pick<DeviceOutcome, 'kind'>) {
  return kind === 'found' || kind === 'no session' || kind === 'no device' ? kind : 'not known';
}

/** An answer about one device, with whatever else is known of it. */
type Answered = { outcome: DeviceOutcome };

/** The session's record; empty without a session. */
export const recordOf = ({ outcome }: Answered): SessionRecord =>
  outcome.kind === 'found' ? outcome.record : {};

export const tokensOf = ({ outcome }: Answered) => (outcome.kind === 'found' ? outcome.tokens : []);

/** Whether the person's own account was used. */
export const isOwn = ({ outcome }: Answered) => 'whose' in outcome && outcome.whose === 'person';

/** Whether the address is that of one device, not of all, several or none. */
export const isDevice = ({ outcome }: Answered) => outcome.kind !== 'no device';

/** Whether the NAC was down for this device, so that a later lookup can succeed. */
export function isTransient({ outcome }: Answered): boolean {
  if (outcome.kind === 'fault') return outcome.status >= 502 && outcome.status <= 504;
  return ['unreachable', 'timed out', 'paused'].includes(lookupName(outcome));
}

/** Whether the NAC was called. */
export const isAsked = (outcome: LookupOutcome): outcome is SessionOutcome & Whose =>
  !['paused', 'resting', 'busy', 'disconnected'].includes(outcome.kind);

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

const isUnread = ({ kind }: HttpFault) => kind === 'too large' || kind === 'cut off';
