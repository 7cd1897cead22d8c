import { failureOf } from '../../src/domain/causes.ts';
import { recordOf } from '../../src/domain/outcome.ts';
import type { Attempt, Change, SessionRecord } from '../../src/domain/session.ts';
import { endingOf, hasFailed, MAX_ATTEMPTS, suppressionOf, turnOf } from '../../src/domain/session.ts';
import type { DeviceAnswer } from './device.ts';
import type { Formatter, Line } from './words.ts';
import { joinLines, line, methodName, named, placeText, sentence, text, toPlain, userText } from './words.ts';

const NO_ATTEMPT = 'The NAC lists no attempt in the last 24 hours.';
const MAX_LISTED = 5;

/** A device's last attempts. `summary`: in one sentence at most. `listed`: newest first; empty if the summary covers them. */
export function historyOf(answer: DeviceAnswer, attempts: readonly Attempt[], formatter: Formatter) {
  const [last] = attempts;
  // A record of a failure is of an attempt itself.
  if (last === undefined) return { summary: hasFailed(recordOf(answer)) ? [] : [[NO_ATTEMPT]], listed: [] };
  const isFound = answer.outcome.kind === 'found';
  const alike = Map.groupBy(attempts, (attempt) => toPlain(attemptText(answer.address, attempt)));
  const isCovered = alike.size <= (turnOf(attempts) ? 2 : 1);
  const listedText = ([newest = last, ...others]: readonly Attempt[]): Line => {
    const when = newest.lastSignAt !== undefined && `${formatter.age(newest.lastSignAt)}: `;
    const times = others.length > 0 && ` (${others.length + 1} times)`;
    return joinLines([when, attemptText(answer.address, newest), times]);
  };
  // Without a session, the verdict's reason says it.
  const said = isFound || answer.isNobodySeen ? attemptsText(answer, formatter) : [];
  return {
    summary: said.length > 0 ? [said] : [],
    listed: isCovered ? [] : [...alike.values()].slice(0, MAX_LISTED).map(listedText),
    next: isFound || last.passed ? undefined : failureOf(last)?.cure,
  };
}

/** A device's attempts in one sentence: what changed since it worked, else how the newest ended. Empty without attempts. */
export function attemptsText(answer: DeviceAnswer, formatter: Formatter): Line {
  const { attempts = [] } = answer;
  const [newest] = attempts;
  if (newest === undefined) return [];
  const last = whenAndWhere(newest, formatter);
  if (newest.passed) return sentence(joinLines(['The last attempt passed', last], ' '));
  const turn = turnOf(attempts);
  const rejected = turn ? 'rejected' : 'refused';
  const ending = endingText(newest, rejected);
  const all = turn ? attempts.slice(0, attempts.indexOf(turn.passed)) : attempts;
  const { length } = all.filter((attempt) => endingText(attempt, rejected) === ending);
  const isSuppressed = suppressionOf(newest) !== undefined;
  const count = `${length < MAX_ATTEMPTS ? '' : 'at least '}${length}`;
  const repeated = length === 1 || isSuppressed ? ending : `${ending} ${count} times`;
  const isInVerdict = recordOf(answer).passed === false;
  const why = !isInVerdict && failureText(newest);
  if (turn === undefined) {
    if (isInVerdict && length === 1) return []; // The record is of this attempt.
    const comma = last.length > 0 && (length > 1 || isSuppressed) ? ', last' : '';
    return sentence(joinLines([joinLines([repeated + comma, last], ' '), why], ': '));
  }
  const { passed, failed, changed } = turn;
  const changes = changed.map((change) => CHANGES[change](failed, passed));
  const worked = joinLines(['Last worked', whenAndWhere(passed, formatter)], ' ');
  const since = line`${worked}; since then ${joinLines([...changes, repeated], ', ')}`;
  return sentence(joinLines([since, why], ': '));
}

const whenAndWhere = (attempt: Attempt, formatter: Formatter): Line =>
  joinLines([attempt.lastSignAt !== undefined && formatter.age(attempt.lastSignAt), onPlace(attempt)], ' ');

function endingText(attempt: Attempt, rejected: string): string {
  const suppression = suppressionOf(attempt);
  if (suppression !== undefined) return `the NAC suppresses the device (${suppression})`;
  return endingOf(attempt) === 'did not finish' ? 'did not finish' : rejected;
}

/** Why a device failed, or was suppressed: our words, else the NAC's own. Continues a sentence. */
export function failureText(failed: SessionRecord): Line {
  const suppression = suppressionOf(failed);
  const failure = failureOf(suppression === undefined ? failed : { ...failed, messageCode: undefined });
  if (failure === undefined) return text(failed.failureReason);
  const { cause, code, isSure } = failure;
  const words = `${cause.charAt(0).toLowerCase()}${cause.slice(1)} (${code})`;
  return code === suppression ? [] : [isSure ? words : `perhaps ${words}`];
}

function onPlace(attempt: Attempt): Line {
  const place = placeText(attempt);
  return place.length > 0 ? ['on ', ...place] : [];
}

const CHANGES: Readonly<Record<Change, (failed: Attempt, passed: Attempt) => Line>> = {
  place(failed, passed) {
    const isAlike = failed.networkDevice === passed.networkDevice && failed.port === passed.port;
    return isAlike ? line`${onPlace(failed)} (${failed.networkAddress ?? ''})` : onPlace(failed);
  },
  method: (failed, passed) => line`by ${methodName(failed)} instead of ${methodName(passed)}`,
  user: ({ user, method }) => (method === 'mab' ? [] : named('as ', user)),
  certificate: () => ['with another certificate'],
  node: ({ node }) => named('through ', node),
};

function attemptText(address: string, attempt: Attempt): Line {
  const ending = endingOf(attempt) ?? 'rejected'; // Only a change of authorization has none, and it is no attempt.
  const why = attempt.passed ? text(attempt.authorizationProfiles) : failureText(attempt);
  const user = userText(address, attempt);
  const who = typeof user[0] === 'object' && user;
  return joinLines([ending === 'rejected' ? 'failed' : ending, why, who, placeText(attempt)], ', ');
}
