import type { SessionRecord } from './record.ts';
import type { Held, SessionEnd } from './session-signs.ts';

/** Where a device stands, by everything that its record says. */
export type SessionState =
  | { kind: 'rejected' }
  | ({ kind: 'ended' } & SessionEnd)
  /** Let in, but kept apart. `by` names the policy, profile or rule; it is foreign text. */
  | { kind: 'quarantined'; by?: string | undefined }
  /** Redirected until the device or its user has done something. */
  | { kind: 'held'; why: Held }
  | { kind: 'posture pending' }
  | { kind: 'not compliant' }
  | { kind: 'connected' }
  /** The NAC did not say whether it let the device in. */
  | { kind: 'unknown' };

/** Reads a session's state; the first match wins. */
export function stateOf(record: SessionRecord): SessionState {
  const { passed, ended, quarantine, held, posture } = record;
  if (passed === false) return { kind: 'rejected' };
  if (ended) return { kind: 'ended', ...ended };
  if (quarantine) return { kind: 'quarantined', ...quarantine };
  if (held) return { kind: 'held', why: held };
  const plain = posture?.toLowerCase().replace(/[^a-z]/g, '');
  if (plain === 'pending') return { kind: 'posture pending' };
  if (plain === 'noncompliant' || plain === 'notcompliant') return { kind: 'not compliant' };
  return { kind: passed ? 'connected' : 'unknown' };
}
