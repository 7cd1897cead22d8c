import { type Attempt, type Change, turnOf } from '../../src/domain/attempts.ts';
import { causeOf, codeOf } from '../../src/domain/outcome.ts';
import { joinLines, type Line, line, shorten, toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { label, linePart, linesPart, type Part } from '../format/message.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { methodName, quoted, userOf } from './facts.ts';

const WORDS = {
  attempts: 'Last attempts (24 hours)',
  noAttempt: line`The NAC lists no attempt in the last 24 hours.`,
  newest: 'Last attempt: ',
};

const MOST_LINES = 5;
const MOST_EXPLAINED = 2;

/** The last attempts, newest first, then what their failures mean; for the summary what matters most. */
export function attemptsPart(answer: DeviceAnswer, format: Format): Part {
  const { attempts = [] } = answer;
  if (attempts.length === 0) return { ...linePart(WORDS.noAttempt), summary: [] };
  const turn = sayTurn(answer, format);
  const runs = runsOf(attempts).slice(0, MOST_LINES);
  const isTold = turn !== undefined && runs.length === 2; // By what changed.
  const each = runs.map((run) =>
    joinLines([openingOf(answer, run, format, ': '), ...whereOf(answer, run)], ', '),
  );
  const { text, elements } = linesPart([...(isTold ? [] : each), ...sayCauses(answer, runs)], {}, 'None');
  const title = isTold ? [] : [WORDS.attempts];
  return {
    text: [...title.map((words) => `${words}:`), ...text],
    summary: turn ? [] : sayLast(answer, format).map(toPlain),
    elements: [...title.map(label), ...elements],
  };
}

/** What changed since the device last worked, else how the last attempt ended. Empty without attempts. */
export function sayLast(answer: DeviceAnswer, format: Format): Line[] {
  const [run] = runsOf(answer.attempts ?? []);
  return run ? [sayTurn(answer, format) ?? [WORDS.newest, ...openingOf(answer, run, format, ', '), '.']] : [];
}

/** Where and when the device last worked, and how often the NAC rejected it since, where and why. */
export function sayTurn({ attempts = [], outcome }: DeviceAnswer, format: Format): Line | undefined {
  const turn = turnOf(attempts);
  if (turn === undefined) return undefined;
  const { passed, failed, changed } = turn;
  const count = attempts.indexOf(passed);
  const [newest = failed] = attempts;
  const why = outcome.kind === 'found' ? undefined : newest.failureReason; // The verdict on a session says why.
  const when = passed.at === undefined ? '' : ` ${format.age(passed.at)}`;
  const times = count === 1 ? '' : ` ${format.number(count)} times`;
  const changes = changed.flatMap((change) => CHANGES[change](failed, passed));
  return [
    `Last worked${when}`,
    ...sayPlace(passed),
    '; since then',
    ...changes.flatMap((change) => [...change, ',']),
    ` rejected${times}`,
    ...(why === undefined ? [] : line`: ${shorten(why)}`),
    '.',
  ];
}

const sayPlace = ({ networkDevice, port }: Attempt): Line => {
  const place = [networkDevice, port].flatMap((text) => text ?? []).join(' ');
  return place === '' ? [] : line` on ${shorten(place)}`;
};

const CHANGES: Readonly<Record<Change, (failed: Attempt, passed: Attempt) => Line[]>> = {
  place: (failed) => [sayPlace(failed)],
  method: (failed, passed) => [line` by ${methodName(failed)} instead of ${methodName(passed)}`],
  user: ({ user = '', method }) => (method === 'mab' ? [] : [line` as ${shorten(user)}`]),
  certificate: () => [[' with another certificate']],
  node: ({ node = '' }) => [line` through ${shorten(node)}`],
};

/** Attempts in a row that ended in the same way at the same place. */
type Run = { newest: Attempt; oldest: Attempt; count: number };

function runsOf(attempts: readonly Attempt[]): Run[] {
  const runs: Run[] = [];
  const untimed = ({ passed, failureReason, authorizationProfiles, user, networkDevice, port }: Attempt) =>
    JSON.stringify([passed, failureReason, authorizationProfiles, user, networkDevice, port]);
  for (const attempt of attempts) {
    const last = runs.at(-1);
    if (last && untimed(last.newest) === untimed(attempt))
      Object.assign(last, { oldest: attempt, count: last.count + 1 });
    else runs.push({ newest: attempt, oldest: attempt, count: 1 });
  }
  return runs;
}

/** When, whether it passed, and why, if the session does not say so. @param afterAge our words behind the newest attempt's age */
function openingOf(
  answer: DeviceAnswer,
  { newest, oldest, count }: Run,
  format: Format,
  afterAge: string,
): Line {
  const { passed, at, failureReason, authorizationProfiles } = newest;
  const since = oldest.at === undefined ? '' : ` since ${format.time(oldest.at)}`;
  const times = count === 1 ? '' : ` ${format.number(count)} times${since}`;
  const when = at === undefined ? '' : `${format.age(at)}${afterAge}`;
  const isSaid = failureReason !== undefined && failureReason === recordOf(answer)?.failureReason;
  const why = passed ? authorizationProfiles : isSaid ? undefined : failureReason;
  const opening = [`${when}${passed ? 'passed' : 'failed'}${times}`];
  return why === undefined ? opening : line`${opening}, ${shorten(why)}`;
}

function whereOf(answer: DeviceAnswer, { newest }: Run): Line[] {
  const record = recordOf(answer);
  const user = userOf(answer.address, newest);
  const isPerson = newest.user !== record?.user && user?.some((part) => typeof part !== 'string');
  const isThere = newest.networkDevice === record?.networkDevice && newest.port === record?.port;
  return [...(user && isPerson ? [user] : []), ...(isThere ? [] : quoted(newest.networkDevice, newest.port))];
}

/** The session's record, which the answer shows: what equals it is not said of an attempt again. */
const recordOf = ({ outcome }: DeviceAnswer) => (outcome.kind === 'found' ? outcome.record : undefined);

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
