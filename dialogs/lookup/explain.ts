import { isMacAddress } from '../../src/domain/device-address.ts';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { stateOf } from '../../src/domain/session-state.ts';
import type { Catalogue } from '../../src/nac/catalogue.ts';
import { HISTORY_MS, type History } from '../../src/nac/history.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { isUnexplained, needsCatalogue } from './rejection.ts';

/**
 * Adds to answers what the NAC's other calls say: the last attempts of a device without a running session, and what a
 * failure means that our words do not know. Takes at most {@link HISTORY_MS}, never rejects, and leaves out what does not
 * come. Returns the same answers at once if there is nothing to explain.
 */
export type Explain = (answers: readonly DeviceAnswer[], person: string) => Promise<readonly DeviceAnswer[]>;

export type ExplainOptions = {
  /** Undefined: turned off. */
  history: History | undefined;
  catalogue: Catalogue;
  now: () => number;
  onError(error: unknown): void;
};

/** More histories would take the NAC's places from lookups. */
const MOST_HISTORIES = 5;

export function createExplain(options: ExplainOptions): Explain {
  return async (answers, person) => {
    const asked = options.history ? worst(answers) : [];
    if (asked.length === 0 && !answers.some(needsReasons)) return answers;
    try {
      return await explain(answers, asked, person, options);
    } catch (error) {
      options.onError(error);
      return answers;
    }
  };
}

async function explain(
  answers: readonly DeviceAnswer[],
  asked: readonly AnswerByMac[],
  person: string,
  { history, catalogue, now }: ExplainOptions,
): Promise<DeviceAnswer[]> {
  const until = now() + HISTORY_MS;
  const [early, ...histories] = await Promise.all([
    answers.some(needsReasons) ? catalogue(person, HISTORY_MS) : undefined,
    ...asked.map(({ address }) => history?.(address, person, HISTORY_MS)),
  ]);
  const attemptsOf = new Map<DeviceAnswer, (typeof histories)[number]>(
    asked.map((answer, index) => [answer, histories[index]]),
  );
  const known = answers.map((answer) => {
    const attempts = attemptsOf.get(answer);
    return attempts ? { ...answer, attempts } : answer;
  });
  const reasons = early ?? (known.some(needsReasons) ? await catalogue(person, until - now()) : undefined);
  return reasons ? known.map((answer) => ({ ...answer, reasons })) : known;
}

/** The NAC lists attempts by MAC address alone. */
type AnswerByMac = DeviceAnswer & { address: MacAddress };

function isByMac(answer: DeviceAnswer): answer is AnswerByMac {
  return isMacAddress(answer.address);
}

/** The devices whose attempts are asked for, the worst first. */
function worst(answers: readonly DeviceAnswer[]): AnswerByMac[] {
  const ranked = answers.filter(isByMac).flatMap((answer) => {
    const rank = rankOf(answer);
    return rank === undefined ? [] : [{ answer, rank }];
  });
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, MOST_HISTORIES)
    .map(({ answer }) => answer);
}

function rankOf({ outcome }: DeviceAnswer): number | undefined {
  if (outcome.kind === 'no session') return 1;
  if (outcome.kind !== 'found') return undefined;
  const { kind } = stateOf(outcome.record);
  if (kind === 'rejected') return 0;
  return kind === 'ended' ? 2 : undefined;
}

function needsReasons({ outcome, attempts = [] }: DeviceAnswer): boolean {
  return (
    (outcome.kind === 'found' && needsCatalogue(outcome.record)) ||
    attempts.some(({ failureReason }) => isUnexplained(failureReason))
  );
}
