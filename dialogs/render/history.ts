import { type Attempt, type Change, MAX_ATTEMPTS, turnOf } from '../../src/domain/attempts.ts';
import { type Coded, failureOf } from '../../src/domain/causes.ts';
import { endingOf, hasFailed, suppressionOf } from '../../src/domain/session.ts';
import { type DeviceAnswer, methodName, placeText, recordOf, userText } from './device.ts';
import {
  capitalised,
  type Formatter,
  joinLines,
  type Line,
  line,
  sentence,
  shorten,
  text,
  toBare,
} from './words.ts';

const NO_ATTEMPT = 'The NAC lists no attempt in the last 24 hours.';
const MAX_LISTED = 5;

/** A device's last attempts. `summary`: in one sentence. `listed`: newest first; empty if the summary covers them. */
export type History = { summary?: Line | undefined; listed: readonly Line[]; next?: string | undefined };

export function historyOf(answer: DeviceAnswer, attempts: readonly Attempt[], formatter: Formatter): History {
  const runs = runsOf(answer, attempts);
  const [last] = runs;
  // A record of a failure is of an attempt itself.
  if (last === undefined)
    return { summary: hasFailed(recordOf(answer)) ? undefined : [NO_ATTEMPT], listed: [] };
  const isFound = answer.outcome.kind === 'found';
  const isCovered = runs.length <= (turnOf(attempts) ? 2 : 1);
  return {
    // Without a session, the verdict's reason says it.
    summary: isFound || answer.isNobodySeen ? attemptsText(answer, formatter) : undefined,
    listed: isCovered ? [] : runs.slice(0, MAX_LISTED).map((run) => runText(run, formatter)),
    next: isFound || last.newest.passed ? undefined : failureOf(last.newest)?.cure,
  };
}

/** A device's attempts in one sentence: what changed since it worked, else how the newest ended. Empty without attempts. */
export function attemptsText(answer: DeviceAnswer, formatter: Formatter): Line {
  const { attempts = [] } = answer;
  const [newest] = attempts;
  if (newest === undefined) return [];
  const last = whenAndWhere(newest, formatter);
  if (newest.passed) return ['The last attempt passed', ...last, '.'];
  const turn = turnOf(attempts);
  const rejected = turn ? 'rejected' : 'refused';
  const ending = endingText(newest, rejected);
  const since = turn ? attempts.slice(0, attempts.indexOf(turn.passed)) : attempts;
  const { length } = since.filter((attempt) => endingText(attempt, rejected) === ending);
  const isSuppressed = suppressionOf(newest) !== undefined;
  const count = `${length < MAX_ATTEMPTS ? '' : 'at least '}${length}`;
  const times = length === 1 || isSuppressed ? '' : ` ${count} times`;
  const isInVerdict = recordOf(answer).passed === false;
  const failure = isInVerdict ? [] : failureText(newest);
  const why: Line = failure.length > 0 ? [': ', ...failure] : [];
  if (turn === undefined) {
    if (isInVerdict && length === 1) return []; // The record is of this attempt.
    const comma = last.length > 0 && (length > 1 || isSuppressed) ? ', last' : '';
    return sentence(capitalised([`${ending}${times}${comma}`, ...last, ...why]));
  }
  const { passed, failed, changed } = turn;
  const changes = changed.map((change) => CHANGES[change](failed, passed));
  return sentence([
    'Last worked',
    ...whenAndWhere(passed, formatter),
    '; since then',
    ...changes.flatMap((change) => (change.length > 0 ? [...change, ','] : [])),
    ` ${ending}${times}`,
    ...why,
  ]);
}

const whenAndWhere = (attempt: Attempt, formatter: Formatter): Line => [
  ...(attempt.at === undefined ? [] : [` ${formatter.age(attempt.at)}`]),
  ...onPlace(attempt),
];

function endingText(attempt: Attempt, rejected: string): string {
  const suppression = suppressionOf(attempt);
  if (suppression !== undefined) return `the NAC suppresses the device (${suppression})`;
  return endingOf(attempt) === 'did not finish' ? 'did not finish' : rejected;
}

/** Why a device failed, or was suppressed: our words, else the NAC's own. Continues a sentence. */
export function failureText(failed: Coded): Line {
  const suppression = suppressionOf(failed);
  const failure = failureOf(suppression === undefined ? failed : { ...failed, messageCode: undefined });
  if (failure === undefined) return text(failed.failureReason);
  const { cause, code, isSure } = failure;
  const words = `${cause.charAt(0).toLowerCase()}${cause.slice(1)} (${code})`;
  return code === suppression ? [] : [isSure ? words : `perhaps ${words}`];
}

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

/** Attempts in a row that read alike: how they ended, why, who and where. */
type Run = { newest: Attempt; oldest: Attempt; count: number; ending: string; details: Line };

function runsOf({ address }: DeviceAnswer, attempts: readonly Attempt[]): Run[] {
  const runs: Run[] = [];
  for (const attempt of attempts) {
    const ending = endingOf(attempt) ?? 'rejected'; // Only a change of authorization has none, and it is no attempt.
    const why = attempt.passed ? text(attempt.authorizationProfiles) : failureText(attempt);
    const user = userText(address, attempt);
    const who = typeof user[0] === 'object' ? user : [];
    const details = joinLines([why, who, placeText(attempt)], ', ');
    const last = runs.at(-1);
    if (last?.ending === ending && toBare(last.details) === toBare(details))
      Object.assign(last, { oldest: attempt, count: last.count + 1 });
    else runs.push({ newest: attempt, oldest: attempt, count: 1, ending, details });
  }
  return runs;
}

function runText({ newest, oldest, count, ending, details }: Run, formatter: Formatter): Line {
  const since = oldest.at === undefined ? '' : ` since ${formatter.time(oldest.at)}`;
  const times = count === 1 ? '' : ` ${count} times${since}`;
  const when = newest.at === undefined ? '' : `${formatter.age(newest.at)}: `;
  return joinLines([[`${when}${ending === 'rejected' ? 'failed' : ending}${times}`], details], ', ');
}
