import type { FailureReasons } from '../../src/domain/failure-reasons.ts';
import type { SessionRecord } from '../../src/domain/record.ts';
import { type SessionEnd, timeOf } from '../../src/domain/session-signs.ts';
import { stateOf } from '../../src/domain/session-state.ts';
import type { Tone } from '../format/card.ts';
import { type Line, line } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { shorten } from '../format/markdown.ts';
import { timeAndAge } from './facts.ts';
import { sayRejection } from './rejection.ts';

/** The result for one device: a few words of ours that suffice on a lock screen, and what they mean. */
export type Verdict = { words: string; tone: Tone; meaning?: Line };

/**
 * The verdict on a session, by everything that its record says.
 * @param reasons the NAC's catalogue, for failures that our words do not know
 */
export function verdictOn(record: SessionRecord, format: Format, reasons?: FailureReasons): Verdict {
  const state = stateOf(record);
  switch (state.kind) {
    case 'rejected':
      return withMeaning({ words: 'rejected', tone: 'Attention' }, sayRejection(record, reasons));
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
