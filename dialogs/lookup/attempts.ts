import { type Attempt, type Change, MOST_ATTEMPTS, turnOf } from '../../src/domain/attempts.ts';
import { causeOf, codeOf } from '../../src/domain/outcome.ts';
import * as card from '../format/card.ts';
import { joinLines, type Line, line, type Reader, shorten, toMarkdown, toPlain } from '../format/words.ts';
import { type DeviceAnswer, recordOf } from './device-answer.ts';
import { isForeign, methodName, placeOf, userOf } from './facts.ts';

const WORDS = {
  attempts: 'Last attempts (24 hours)',
  noAttempt: line`The NAC lists no attempt in the last 24 hours.`,
  newest: 'Last attempt: ',
};

const MOST_LINES = 5;
const MOST_EXPLAINED = 2;

/** The attempts that the sentence before them does not tell, newest first, then what their failures mean. */
export function attemptsPart(answer: DeviceAnswer, reader: Reader): card.Part {
  const { attempts = [], outcome } = answer;
  if (attempts.length === 0) return { ...card.linePart(WORDS.noAttempt), summary: [] };
  const runs = runsOf(attempts);
  const hasTurn = sayTurn(answer, reader) !== undefined;
  const isTold = !answer.isNobodySeen && runs.length <= (hasTurn ? 2 : 1);
  const each = runs
    .slice(0, MOST_LINES)
    .map((run) => joinLines([openingOf(answer, run, reader, ': '), ...whereOf(answer, run)], ', '));
  const { cure } = causeOf(attempts[0]?.failureReason) ?? {};
  const causes = isTold ? (cure === undefined ? [] : [[cure]]) : sayCauses(answer, runs.slice(0, MOST_LINES));
  const { text, elements } = card.linesPart([...(isTold ? [] : each), ...causes], {}, 'None');
  const title = isTold ? [] : [WORDS.attempts];
  const last = outcome.kind === 'found' && !hasTurn ? sayLast(answer, reader) : [];
  return {
    text: [...title.map((words) => `${words}:`), ...(isTold ? last : []).map(toMarkdown), ...text],
    summary: last.map(toPlain),
    elements: [...title.map(card.label), ...card.linesPart(isTold ? last : []).elements, ...elements],
  };
}

/** How a device with a session fared: what changed since it last worked, else how the last attempt ended. */
export function sayLast(answer: DeviceAnswer, reader: Reader): Line[] {
  const [run] = runsOf(answer.attempts ?? []);
  if (run === undefined) return [];
  return [sayTurn(answer, reader) ?? [WORDS.newest, ...openingOf(answer, run, reader, ', '), '.']];
}

/** How a device without a session fared, in one sentence; undefined without attempts. */
export function sayHistory(answer: DeviceAnswer, reader: Reader): Line | undefined {
  const { attempts = [] } = answer;
  const [newest] = attempts;
  if (newest === undefined) return undefined;
  const age = newest.at === undefined ? '' : ` ${reader.age(newest.at)}`;
  if (newest.passed) return [`The last attempt passed${age}`, ...sayPlace(newest), '.'];
  const last = [age, ...sayPlace(newest)].filter((part) => part !== '');
  const count = `${attempts.length < MOST_ATTEMPTS ? '' : 'at least '}${reader.number(attempts.length)}`;
  const times = attempts.length === 1 ? '' : ` ${count} times${last.length > 0 ? ', last' : ''}`;
  return sayTurn(answer, reader) ?? [`Refused${times}`, ...last, ...sayWhy(newest), '.'];
}

/** Our words with the code, else the NAC's own. */
function sayWhy({ failureReason }: Attempt): Line {
  const { cause = '' } = causeOf(failureReason) ?? {};
  if (failureReason === undefined) return [];
  const words = `${cause.charAt(0).toLowerCase()}${cause.slice(1).replace(/\.$/, '')}`;
  return cause === '' ? line`: ${shorten(failureReason)}` : [`: ${words} (${codeOf(failureReason)})`];
}

/** Where and when the device last worked, and how often the NAC rejected it since, where and why. */
export function sayTurn(answer: DeviceAnswer, reader: Reader): Line | undefined {
  const { attempts = [] } = answer;
  const turn = turnOf(attempts);
  if (turn === undefined) return undefined;
  const { passed, failed, changed } = turn;
  const count = attempts.indexOf(passed);
  const { passed: isLetIn, failureReason } = recordOf(answer);
  const [newest = failed] = attempts;
  const isSaid = isLetIn === false && reasonIn(newest.failureReason) === reasonIn(failureReason); // By the verdict.
  const when = passed.at === undefined ? '' : ` ${reader.age(passed.at)}`;
  const times = count === 1 ? '' : ` ${reader.number(count)} times`;
  const changes = changed.flatMap((change) => CHANGES[change](failed, passed));
  return [
    `Last worked${when}`,
    ...sayPlace(passed),
    '; since then',
    ...changes.flatMap((change) => [...change, ',']),
    ` rejected${times}`,
    ...(isSaid ? [] : sayWhy(newest)),
    '.',
  ];
}

const reasonIn = (failureReason: string | undefined) => codeOf(failureReason) ?? failureReason;

function sayPlace(attempt: Attempt): Line {
  const [place] = placeOf(attempt);
  return place ? line` on ${place}` : [];
}

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
function openingOf(answer: DeviceAnswer, run: Run, reader: Reader, afterAge: string): Line {
  const { newest, oldest, count } = run;
  const { passed, at, failureReason, authorizationProfiles } = newest;
  const since = oldest.at === undefined ? '' : ` since ${reader.time(oldest.at)}`;
  const times = count === 1 ? '' : ` ${reader.number(count)} times${since}`;
  const when = at === undefined ? '' : `${reader.age(at)}${afterAge}`;
  const isSaid = failureReason !== undefined && failureReason === recordOf(answer).failureReason;
  const why = passed ? authorizationProfiles : isSaid ? undefined : failureReason;
  const opening = [`${when}${passed ? 'passed' : 'failed'}${times}`];
  return why === undefined ? opening : line`${opening}, ${shorten(why)}`;
}

function whereOf(answer: DeviceAnswer, { newest }: Run): Line[] {
  const record = recordOf(answer); // The answer shows it, so what equals it is not said of an attempt again.
  const user = userOf(answer.address, newest);
  const isPerson = newest.user !== record.user && isForeign(user);
  const isThere = newest.networkDevice === record.networkDevice && newest.port === record.port;
  return [...(isPerson ? [user] : []), ...(isThere ? [] : placeOf(newest))];
}

/** What the codes mean that the verdict does not explain. */
function sayCauses(answer: DeviceAnswer, runs: readonly Run[]): Line[] {
  const codes = new Set(runs.flatMap(({ newest }) => codeOf(newest.failureReason) ?? []));
  codes.delete(codeOf(recordOf(answer).failureReason) ?? '');
  return [...codes]
    .flatMap((code) => {
      const { cause, cure = '' } = causeOf(code) ?? {};
      return cause === undefined ? [] : [[`${code}: ${cause} ${cure}`.trimEnd()]];
    })
    .slice(0, MOST_EXPLAINED);
}
