import { type Line, toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { verdictOf } from './verdict.ts';

/** What is said once, not for each device: why at least two devices have no session or no answer. */
export type CommonCauses = {
  causes: readonly Line[];
  /** Whether a device's reason is among the causes. */
  includes(reason: Line): boolean;
};

export function commonCauses(answers: readonly DeviceAnswer[], format: Format): CommonCauses {
  const reasons = answers.flatMap((answer) => {
    const { meaning } = verdictOf(answer, format);
    return answer.outcome.kind === 'found' || meaning === undefined ? [] : [meaning];
  });
  const groups = Map.groupBy(reasons, toPlain);
  const common = new Map([...groups].filter(([, group]) => group.length > 1));
  return {
    causes: [...common.values()].flatMap(([first]) => (first ? [first] : [])),
    includes: (reason) => common.has(toPlain(reason)),
  };
}
