import { type Attempt, type Change, MAX_ATTEMPTS, turnOf } from '../../src/domain/attempts.ts';
import { CAUSES, codeOf, failureOf } from '../../src/domain/causes.ts';
import { endingOf, hasFailed, suppressionOf } from '../../src/domain/session.ts';
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

const NO_ATTEMPT = 'The NAC lists no attempt in the last 24 hours.';
const MAX_LISTED = 5;
const MAX_EXPLAINED = 2;

/** A device's last attempts. `summary`: in one sentence. `listed`: newest first, then the meaning of their codes. */
export type History = { summary?: Line | undefined; listed: readonly Line[]; next?: string | undefined };

export function historyOf(answer: DeviceAnswer, attempts: readonly Attempt[], formatter: Formatter): History {
  const record = recordOf(answer);
  const runs = runsOf(attempts);
  const [last] = runs;
  // A record of a failure is of an attempt itself.
  if (last === undefined) return { summary: hasFailed(record) ? undefined : [NO_ATTEMPT], listed: [] };
  const isFound = answer.outcome.kind === 'found';
  const turn = turnText(answer, formatter);
  const lastText = () => sentence(['Last attempt: ', ...runText(answer, last, formatter, ', ')]);
  // Without a session, the verdict's reason tells it.
  const summary = isFound || answer.isNobodySeen ? (turn ?? lastText()) : undefined;
  if (runs.length <= (turn ? 2 : 1))
    return { summary, listed: [], next: isFound ? undefined : failureOf(last.newest)?.cure };
  const shown = runs.slice(0, MAX_LISTED);
  const codes = new Set(shown.flatMap(({ newest }) => failureOf(newest)?.code ?? []));
  codes.delete(codeOf(record.failureReason) ?? '');
  const meanings = [...codes].slice(0, MAX_EXPLAINED).map((code): Line => {
    const { cause, cure = '' } = CAUSES.get(code) ?? {};
    return [`${code}: ${cause}. ${cure}`.trimEnd()];
  });
  const listed = shown.map((run) => {
    const { newest } = run; // The answer shows its record's values already.
    const user = newest.user === record.user ? [] : userText(answer.address, newest);
    const isThere = newest.networkDevice === record.networkDevice && newest.port === record.port;
    const who = typeof user[0] === 'object' ? user : [];
    return joinLines([runText(answer, run, formatter, ': '), who, isThere ? [] : placeText(newest)], ', ');
  });
  return { summary, listed: [...listed, ...meanings] };
}

/** The attempts of a device without a session, in one sentence; empty without attempts. */
export function absenceText(answer: DeviceAnswer, formatter: Formatter): Line {
  const { attempts = [] } = answer;
  const [newest] = attempts;
  if (newest === undefined) return [];
  const age = newest.at === undefined ? [] : [` ${formatter.age(newest.at)}`];
  const last = [...age, ...onPlace(newest)];
  if (newest.passed) return ['The last attempt passed', ...last, '.'];
  const ending = endingText(newest, 'refused');
  const { length } = attempts.filter((attempt) => endingText(attempt, 'refused') === ending);
  const isSuppressed = suppressionOf(newest) !== undefined;
  const count = `${length < MAX_ATTEMPTS ? '' : 'at least '}${formatter.number(length)}`;
  const often = isSuppressed ? '' : ` ${count} times`;
  const times = length === 1 && !isSuppressed ? '' : `${often}${last.length > 0 ? ', last' : ''}`;
  const words = [`${ending}${times}`, ...last, ...whyText(newest)];
  return turnText(answer, formatter) ?? sentence(capitalised(words));
}

function endingText(attempt: Attempt, rejected: string): string {
  const suppression = suppressionOf(attempt);
  if (suppression !== undefined) return `the NAC suppresses the device (${suppression})`;
  return endingOf(attempt) === 'did not finish' ? 'did not finish' : rejected;
}

function whyText(attempt: Attempt): Line {
  const suppression = suppressionOf(attempt);
  const failure = failureOf(suppression === undefined ? attempt : { ...attempt, messageCode: undefined });
  if (failure === undefined) return named(': ', attempt.failureReason);
  const { cause, code, isSure } = failure;
  const words = `${cause.charAt(0).toLowerCase()}${cause.slice(1)} (${code})`;
  return code === suppression ? [] : [`: ${isSure ? '' : 'perhaps '}${words}`];
}

/** `Last worked 2 hours ago on sw-1 Gi1/0/1; since then on sw-2 Gi1/0/2, rejected 3 times: ...`. */
function turnText(answer: DeviceAnswer, formatter: Formatter): Line | undefined {
  const { attempts = [] } = answer;
  const turn = turnOf(attempts);
  if (turn === undefined) return undefined;
  const { passed, failed, changed } = turn;
  const { passed: isLetIn, failureReason } = recordOf(answer);
  const [newest = failed] = attempts;
  const ending = endingText(newest, 'rejected');
  const since = attempts.slice(0, attempts.indexOf(passed));
  const count = since.filter((attempt) => endingText(attempt, 'rejected') === ending).length;
  const isTold = isLetIn === false && reasonIn(newest.failureReason) === reasonIn(failureReason); // By the verdict.
  const when = passed.at === undefined ? '' : ` ${formatter.age(passed.at)}`;
  const times = count === 1 || suppressionOf(newest) ? '' : ` ${formatter.number(count)} times`;
  const changes = changed.map((change) => CHANGES[change](failed, passed));
  return sentence([
    `Last worked${when}`,
    ...onPlace(passed),
    '; since then',
    ...changes.flatMap((change) => (change.length > 0 ? [...change, ','] : [])),
    ` ${ending}${times}`,
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

function runText(answer: DeviceAnswer, run: Run, formatter: Formatter, afterAge: string): Line {
  const { newest, oldest, count } = run;
  const { passed, at, failureReason = failureOf(newest)?.code, authorizationProfiles } = newest;
  const ending = endingOf(newest) ?? 'rejected'; // Only a change of authorization has none, and it is no attempt.
  const since = oldest.at === undefined ? '' : ` since ${formatter.time(oldest.at)}`;
  const times = count === 1 ? '' : ` ${formatter.number(count)} times${since}`;
  const when = at === undefined ? '' : `${formatter.age(at)}${afterAge}`;
  const isTold = failureReason !== undefined && failureReason === recordOf(answer).failureReason;
  const why = passed ? authorizationProfiles : isTold ? undefined : failureReason;
  return [`${when}${ending === 'rejected' ? 'failed' : ending}${times}`, ...named(', ', why)];
}
