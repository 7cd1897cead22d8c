import { groupOf } from '../../src/domain/outcome.ts';
import { stateOf } from '../../src/domain/session.ts';
import type { DeviceAnswer } from './device.ts';
import { NO_SESSION } from './outcomes.ts';
import { doubtsOn, SESSIONS, type Verdict } from './sessions.ts';
import { joinLines, type Line, line, type Reader, shorten, wordsFor } from './words.ts';

/** The verdict; `heading`: its words with the ANC policy or EPS status that is put on the device. */
export function verdictOf(answer: DeviceAnswer): Verdict & { heading: Line; doubts: readonly Line[] } {
  const { outcome } = answer;
  if (outcome.kind !== 'found') {
    const isCalm = ['none', 'not a device'].includes(groupOf(outcome));
    const said = wordsFor(outcome, NO_SESSION, answer);
    return { tone: isCalm ? 'Default' : 'Attention', ...said, heading: [said.words], doubts: [] };
  }
  const { restrictions = [] } = outcome.record;
  const verdict = wordsFor(stateOf(outcome.record), SESSIONS, outcome.record);
  const doubts = doubtsOn(outcome.record);
  const isDoubtful = restrictions.length + doubts.length > 0 && verdict.tone !== 'Attention';
  const named = restrictions.map(({ as, name }) => line`${[as]} ${shorten(name)}`);
  const under = named.length > 0 ? line`, under ${joinLines(named, ' and ')}` : [];
  const heading = line`${[verdict.words]}${under}`;
  return { ...verdict, heading, doubts, ...(isDoubtful && { tone: 'Warning' }) };
}

export function reasonOf({ reason = [] }: Verdict, reader: Reader): Line {
  const told = typeof reason === 'function' ? reason(reader) : reason;
  return typeof told === 'string' ? [told] : told;
}
