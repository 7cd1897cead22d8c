import { isMacAddress } from '../../src/domain/device-address.ts';
import { groupOf } from '../../src/domain/outcome.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import { type SessionEnd, stateOf, timeOf } from '../../src/domain/session-state.ts';
import type { Tone } from '../format/card.ts';
import { type Line, line, shorten } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { sayRejection, timeAndAge } from './facts.ts';
import { sayOutcome } from './outcome-words.ts';

/** The result for one device: a few words of ours that suffice on a lock screen, and what they mean. */
export type Verdict = { words: string; tone: Tone; meaning?: Line | undefined };

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
