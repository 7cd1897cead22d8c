import { isMacAddress } from '../../src/domain/device-address.ts';
import { causeOf, codeOf } from '../../src/domain/outcome.ts';
import { type Attempt, stateOf } from '../../src/domain/record.ts';
import type { History } from '../../src/nac.ts';
import { label } from '../format/card.ts';
import { joinLines, type Line, line, shorten, toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { linesPart, type Part } from '../format/message.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { userOf } from './facts.ts';

const WORDS = {
  title: 'Last attempts (24 hours)',
  none: line`The NAC lists no attempt in the last 24 hours.`,
  newest: 'Last attempt: ',
};

/** More lines would fill a phone's screen. */
const MOST_LINES = 5;
const MOST_EXPLAINED = 2;

/** The last attempts, newest first, then what their failures mean; for the summary the newest. */
export function attemptsPart(answer: DeviceAnswer, format: Format): Part {
  const { attempts } = answer;
  const newest = sayNewest(answer, format);
  const summary = newest ? [toPlain(newest)] : [];
  if (!attempts?.length) return { ...linesPart(attempts ? [WORDS.none] : []), summary };
  const runs = runsOf(attempts).slice(0, MOST_LINES);
  const each = runs.map((run) => joinLines([openingOf(run, format, ': '), ...whereOf(answer, run)], ', '));
  const { text, elements } = linesPart([...each, ...sayCauses(answer, runs)], {}, 'None');
  return { text: [`${WORDS.title}:`, ...text], summary, elements: [label(WORDS.title), ...elements] };
}

/** The newest attempt in one short line, with its full stop; undefined if none is known. */
export function sayNewest({ attempts = [] }: DeviceAnswer, format: Format): Line | undefined {
  const [run] = runsOf(attempts);
  return run && [WORDS.newest, ...openingOf(run, format, ', '), '.'];
}

/** Attempts in a row that ended in the same way at the same place. */
type Run = { newest: Attempt; oldest: Attempt; count: number };

function runsOf(attempts: readonly Attempt[]): Run[] {
  const runs: Run[] = [];
  const untimed = (attempt: Attempt) => JSON.stringify({ ...attempt, at: 0 });
  for (const attempt of attempts) {
    const last = runs.at(-1);
    if (last && untimed(last.newest) === untimed(attempt))
      Object.assign(last, { oldest: attempt, count: last.count + 1 });
    else runs.push({ newest: attempt, oldest: attempt, count: 1 });
  }
  return runs;
}

/** When, whether it passed, and why. @param afterAge our words behind the newest attempt's age */
function openingOf({ newest, oldest, count }: Run, format: Format, afterAge: string): Line {
  const { passed, at, failureReason, authorizationProfiles } = newest;
  const since = oldest.at === undefined ? '' : ` since ${format.time(oldest.at)}`;
  const times = count === 1 ? '' : ` ${format.number(count)} times${since}`;
  const when = at === undefined ? '' : `${format.age(at)}${afterAge}`;
  const why = passed ? authorizationProfiles : failureReason;
  const opening = [`${when}${passed ? 'passed' : 'failed'}${times}`];
  return why === undefined ? opening : line`${opening}, ${shorten(why)}`;
}

function whereOf({ address }: DeviceAnswer, { newest }: Run): Line[] {
  const user = userOf(address, newest);
  const isPerson = user?.some((part) => typeof part !== 'string');
  const places = [newest.networkDevice, newest.port];
  return [
    ...(user && isPerson ? [user] : []),
    ...places.flatMap((text) => (text === undefined ? [] : [line`${shorten(text)}`])),
  ];
}

/** What the codes mean that the verdict does not explain. */
function sayCauses({ outcome }: DeviceAnswer, runs: readonly Run[]): Line[] {
  const told = outcome.kind === 'found' ? codeOf(outcome.record.failureReason) : undefined;
  const codes = new Set(runs.flatMap(({ newest }) => codeOf(newest.failureReason) ?? []));
  codes.delete(told ?? '');
  return [...codes]
    .flatMap((code) => {
      const { cause, cure = '' } = causeOf(code) ?? {};
      return cause === undefined ? [] : [[`${code}: ${cause} ${cure}`.trimEnd()]];
    })
    .slice(0, MOST_EXPLAINED);
}

/**
 * Adds the last attempts to the answers about devices without a running session, the worst first. Takes at most
 * {@link HISTORY_MS}, never rejects, and leaves out what does not come.
 */
export type Explain = (answers: readonly DeviceAnswer[], person: string) => Promise<readonly DeviceAnswer[]>;

/** @property history undefined: turned off */
export type ExplainOptions = { history: History | undefined; onError(error: unknown): void };

/** The longest that an answer waits for the attempts (milliseconds). */
const HISTORY_MS = 2500;

/** More histories would take the NAC's places from lookups. */
const MOST_HISTORIES = 5;

export function createExplain({ history, onError }: ExplainOptions): Explain {
  return async (answers, person) => {
    const asked = worst(answers);
    if (history === undefined || asked.length === 0) return answers;
    try {
      const ask = ({ address }: DeviceAnswer) =>
        isMacAddress(address) ? history(address, person, HISTORY_MS) : undefined;
      const told = await Promise.all(asked.map(ask));
      return answers.map((answer) => {
        const attempts = told[asked.indexOf(answer)];
        return attempts ? { ...answer, attempts } : answer;
      });
    } catch (error) {
      onError(error);
      return answers;
    }
  };
}

/** The devices whose attempts are asked for, the worst first. The NAC lists attempts by MAC address alone. */
function worst(answers: readonly DeviceAnswer[]): DeviceAnswer[] {
  const byState = Map.groupBy(answers, ({ address, outcome }) => {
    if (!isMacAddress(address)) return undefined;
    return outcome.kind === 'found' ? stateOf(outcome.record).kind : outcome.kind;
  });
  const states = ['rejected', 'no session', 'ended'] as const;
  return states.flatMap((state) => byState.get(state) ?? []).slice(0, MOST_HISTORIES);
}
