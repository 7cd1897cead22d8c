import { type Attempt, type Change, MAX_ATTEMPTS, turnOf } from '../../src/domain/attempts.ts';
import { CAUSES, codeOf, failureOf } from '../../src/domain/causes.ts';
import { type Ending, endingOf, hasFailed, suppressionOf } from '../../src/domain/session.ts';
import { type DeviceAnswer, methodName, placeText, recordOf, userText } from './device.ts';
import {
  capitalised,
  type Formatter,
  joinLines,
  type Line,
  line,
  named,
  sentence,
  shorten,
} from './words.ts';

const MAX_LISTED = 5;
const MAX_EXPLAINED = 2;

/** A device's last attempts. `told`: in one sentence. `listed`: newest first, then the meaning of their codes. */
export type History = { told?: Line | undefined; listed: readonly Line[]; next?: string | undefined };

export function historyOf(answer: DeviceAnswer, attempts: readonly Attempt[], formatter: Formatter): History {
  const [newest] = attempts;
  // A record of a failure is of an attempt itself.
  if (newest === undefined)
    return { told: hasFailed(recordOf(answer)) ? undefined : [NO_ATTEMPT], listed: [] };
  const isFound = answer.outcome.kind === 'found';
  const runs = runsOf(attempts);
  const turn = turnText(answer, formatter);
  // Without a session, the verdict's reason tells it.
  const told = isFound || answer.isNobodySeen ? (turn ?? lastText(answer, runs[0], formatter)) : undefined;
  if (runs.length <= (turn ? 2 : 1))
    return { told, listed: [], next: isFound ? undefined : failureOf(newest)?.cure };
  const shown = runs.slice(0, MAX_LISTED);
  const listed = shown.map((run) =>
    joinLines([runText(answer, run, formatter, ': '), ...whereTexts(answer, run)], ', '),
  );
  return { told, listed: [...listed, ...causeTexts(answer, shown)] };
}

const NO_ATTEMPT = 'The NAC lists no attempt in the last 24 hours.';

const lastText = (answer: DeviceAnswer, run: Run | undefined, formatter: Formatter): Line | undefined =>
  run && sentence(['Last attempt: ', ...runText(answer, run, formatter, ', ')]);

/** The attempts of a device without a session, in one sentence; empty without attempts. */
export function absenceText(answer: DeviceAnswer, formatter: Formatter): Line {
  const { attempts = [] } = answer;
  const [newest] = attempts;
  if (newest === undefined) return [];
  const age = newest.at === undefined ? '' : ` ${formatter.age(newest.at)}`;
  if (newest.passed) return [`The last attempt passed${age}`, ...onPlace(newest), '.'];
  const last = [age, ...onPlace(newest)].filter((part) => part !== '');
  const ending = failedEnding(newest);
  const { length } = attempts.filter((attempt) => failedEnding(attempt) === ending);
  const count = `${length < MAX_ATTEMPTS ? '' : 'at least '}${formatter.number(length)}`;
  const isOnce = length === 1 || ending === 'suppressed';
  const times = isOnce ? '' : ` ${count} times${last.length > 0 ? ', last' : ''}`;
  const told = [`${ENDINGS[ending](newest)}${times}`, ...last, ...whyText(newest)];
  return turnText(answer, formatter) ?? sentence(capitalised(told));
}

type Failure = Exclude<Ending, 'passed'>;

/** Only a change of authorization has no ending, and none stands among attempts. */
const failedEnding = (attempt: Attempt): Failure => {
  const ending = endingOf(attempt) ?? 'rejected';
  return ending === 'passed' ? 'rejected' : ending;
};

const ENDINGS: Readonly<Record<Failure, (attempt: Attempt) => string>> = {
  rejected: () => 'refused',
  'did not finish': () => 'did not finish',
  suppressed: (attempt) => `the NAC suppresses the device (${suppressionOf(attempt)})`,
};

function whyText(attempt: Attempt): Line {
  const suppression = suppressionOf(attempt);
  const failure = failureOf(suppression === undefined ? attempt : { ...attempt, messageCode: undefined });
  if (failure === undefined) return named(': ', attempt.failureReason);
  const { cause, code, isSure } = failure;
  if (code === suppression) return [];
  const words = `${cause.charAt(0).toLowerCase()}${cause.slice(1).replace(/\.$/, '')}`;
  return [`: ${isSure ? '' : 'perhaps '}${words} (${code})`];
}

/** `Last worked 2 hours ago on sw-1 Gi1/0/1; since then on sw-2 Gi1/0/2, rejected 3 times: ...`. */
function turnText(answer: DeviceAnswer, formatter: Formatter): Line | undefined {
  const { attempts = [] } = answer;
  const turn = turnOf(attempts);
  if (turn === undefined) return undefined;
  const { passed, failed, changed } = turn;
  const { passed: isLetIn, failureReason } = recordOf(answer);
  const [newest = failed] = attempts;
  const ending = failedEnding(newest);
  const since = attempts.slice(0, attempts.indexOf(passed));
  const count = since.filter((attempt) => failedEnding(attempt) === ending).length;
  const isTold = isLetIn === false && reasonIn(newest.failureReason) === reasonIn(failureReason); // By the verdict.
  const when = passed.at === undefined ? '' : ` ${formatter.age(passed.at)}`;
  const times = count === 1 || ending === 'suppressed' ? '' : ` ${formatter.number(count)} times`;
  const verb = ending === 'rejected' ? ending : ENDINGS[ending](newest);
  const told = changed.map((change) => CHANGES[change](failed, passed));
  const changes = told.filter(({ length }) => length > 0);
  return sentence([
    `Last worked${when}`,
    ...onPlace(passed),
    '; since then',
    ...changes.flatMap((change) => [...change, ',']),
    ` ${verb}${times}`,
    ...(isTold ? [] : whyText(newest)),
  ]);
}

const reasonIn = (failureReason: string | undefined) => codeOf(failureReason) ?? failureReason;

function onPlace(attempt: Attempt): Line {
  const place = placeText(attempt);
  return place.length > 0 ? [' on ', ...place] : [];
}

const CHANGES: Readonly<Record<Change, (failed: Attempt, passed: Attempt) => Line>> = {
  place(failed, passed) {
    const isAlike = failed.networkDevice === passed.networkDevice && failed.port === passed.port;
    return isAlike ? line`${onPlace(failed)} (${failed.networkAddress ?? ''})` : onPlace(failed);
  },
  method: (failed, passed) => line` by ${methodName(failed)} instead of ${methodName(passed)}`,
  user: ({ user = '', method }) => (method === 'mab' ? [] : line` as ${shorten(user)}`),
  certificate: () => [' with another certificate'],
  node: ({ node = '' }) => line` through ${shorten(node)}`,
};

/** Attempts in a row that ended in the same way at the same place. */
type Run = { newest: Attempt; oldest: Attempt; count: number };

function runsOf(attempts: readonly Attempt[]): Run[] {
  const runs: Run[] = [];
  const untimed = ({ at: _, ...attempt }: Attempt) => JSON.stringify(attempt);
  for (const attempt of attempts) {
    const last = runs.at(-1);
    if (last && untimed(last.newest) === untimed(attempt))
      Object.assign(last, { oldest: attempt, count: last.count + 1 });
    else runs.push({ newest: attempt, oldest: attempt, count: 1 });
  }
  return runs;
}

const OUTCOMES: Readonly<Record<Failure, string>> = {
  rejected: 'failed',
  'did not finish': 'did not finish',
  suppressed: 'suppressed',
};

function runText(answer: DeviceAnswer, run: Run, formatter: Formatter, afterAge: string): Line {
  const { newest, oldest, count } = run;
  const { passed, at, failureReason = failureOf(newest)?.code, authorizationProfiles } = newest;
  const since = oldest.at === undefined ? '' : ` since ${formatter.time(oldest.at)}`;
  const times = count === 1 ? '' : ` ${formatter.number(count)} times${since}`;
  const when = at === undefined ? '' : `${formatter.age(at)}${afterAge}`;
  const isTold = failureReason !== undefined && failureReason === recordOf(answer).failureReason;
  const why = passed ? authorizationProfiles : isTold ? undefined : failureReason;
  return [`${when}${passed ? 'passed' : OUTCOMES[failedEnding(newest)]}${times}`, ...named(', ', why)];
}

function whereTexts(answer: DeviceAnswer, { newest }: Run): Line[] {
  const record = recordOf(answer); // The answer shows its values already.
  const user = userText(answer.address, newest);
  const isPerson = newest.user !== record.user && typeof user[0] === 'object';
  const isThere = newest.networkDevice === record.networkDevice && newest.port === record.port;
  return [isPerson ? user : [], isThere ? [] : placeText(newest)];
}

function causeTexts(answer: DeviceAnswer, runs: readonly Run[]): Line[] {
  const codes = new Set(runs.flatMap(({ newest }) => failureOf(newest)?.code ?? []));
  codes.delete(codeOf(recordOf(answer).failureReason) ?? '');
  return [...codes].slice(0, MAX_EXPLAINED).map((code) => {
    const { cause = '', cure = '' } = CAUSES.get(code) ?? {};
    return [`${code}: ${cause} ${cure}`.trimEnd()];
  });
}
