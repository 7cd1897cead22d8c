import { joinLines, type Line, line } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import { shorten } from '../format/markdown.ts';
import type { CommonCauses } from './common-causes.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { hintsOnSession } from './hints.ts';
import { verdictOf } from './verdict.ts';

const WORDS = {
  oneWell: 'The other device is well.',
  manyWell: (count: string) => `The other ${count} devices are well.`,
  leftOut: (taken: string, left: string) =>
    `The alert held more addresses: I looked up the first ${taken}, and left out ${left}.`,
};

/** The devices that are not well, the worst first, and those that are. */
export function triage(
  answers: readonly DeviceAnswer[],
  format: Format,
): { unwell: DeviceAnswer[]; well: DeviceAnswer[] } {
  const rank = (answer: DeviceAnswer) => rankOf(answer, format);
  const unwell = answers.filter((answer) => rank(answer) !== WELL);
  return {
    unwell: unwell.toSorted((one, other) => rank(one) - rank(other)),
    well: answers.filter((answer) => rank(answer) === WELL),
  };
}

const WELL = 4;

/** What the NAC holds against a device comes before what it did not say. */
function rankOf(answer: DeviceAnswer, format: Format): number {
  const { tone } = verdictOf(answer, format);
  const isFound = answer.outcome.kind === 'found';
  if (tone === 'Attention') return isFound ? 0 : 1;
  if (tone === 'Good') return WELL;
  return answer.outcome.kind === 'no session' ? 2 : 3;
}

/** Why a device is not well, as far as it is known and not said already: the NAC's words, what they mean, and what to do. */
export function reasonOf(answer: DeviceAnswer, { format, now }: Reader, common: CommonCauses): Line {
  const { meaning } = verdictOf(answer, format);
  const isSaid = meaning === undefined || common.includes(meaning);
  const said = [...quote(answer), ...(isSaid ? [] : [meaning])];
  return joinLines([...said, ...hintsOnSession(answer, now)], ' ');
}

/** The NAC's own words. A rejection's verdict says why, in our words or the NAC's. */
function quote({ outcome }: DeviceAnswer): Line[] {
  if (outcome.kind !== 'found' || outcome.record.passed === false) return [];
  const { failureReason, passed, quarantine, rule, authorizationProfiles } = outcome.record;
  const why = failureReason ?? (passed && !quarantine ? (rule ?? authorizationProfiles) : undefined);
  return why === undefined ? [] : [line`${shorten(why)}.`];
}

/** How many devices are well beside those that are not. */
export function sayWell(well: number, format: Format): string {
  return well === 1 ? WORDS.oneWell : WORDS.manyWell(format.number(well));
}

/** How many addresses of an alert were not looked up; nothing if all were. */
export function sayLeftOut(taken: number, leftOut: number, format: Format): string[] {
  return leftOut > 0 ? [WORDS.leftOut(format.number(taken), format.number(leftOut))] : [];
}
