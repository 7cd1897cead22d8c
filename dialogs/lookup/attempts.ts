import type { Attempt } from '../../src/domain/attempts.ts';
import { codeOf } from '../../src/domain/failure-reasons.ts';
import { joinLines, type Line, line } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { shorten } from '../format/markdown.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { userOf } from './facts.ts';
import { explainFailure, sayResolution, sentence } from './rejection.ts';

const WORDS = {
  title: 'Last attempts (24 hours)',
  none: line`The NAC lists no attempt in the last 24 hours.`,
  newest: 'Last attempt: ',
};

/** More lines would fill a phone's screen. */
const MOST_LINES = 5;
const MOST_EXPLAINED = 2;

/** A device's last attempts: lines, and their title if they need one. */
export type SaidAttempts = { title: string | undefined; lines: readonly Line[] };

/** The last attempts, newest first, then what their failures mean. No lines if the attempts are not known. */
export function sayAttempts(answer: DeviceAnswer, format: Format): SaidAttempts {
  if (answer.attempts === undefined) return { title: undefined, lines: [] };
  if (answer.attempts.length === 0) return { title: undefined, lines: [WORDS.none] };
  const runs = runsOf(answer.attempts).slice(0, MOST_LINES);
  const each = runs.map((run) => joinLines([openingOf(run, format, ': '), ...whereOf(answer, run)], ', '));
  return { title: WORDS.title, lines: [...each, ...explain(answer, runs)] };
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
  for (const attempt of attempts) {
    const last = runs.at(-1);
    if (last && isLike(last.newest, attempt))
      runs[runs.length - 1] = { ...last, oldest: attempt, count: last.count + 1 };
    else runs.push({ newest: attempt, oldest: attempt, count: 1 });
  }
  return runs;
}

const COMPARED = [
  'passed',
  'failureReason',
  'user',
  'networkDevice',
  'port',
  'authorizationProfiles',
] as const;

function isLike(one: Attempt, other: Attempt): boolean {
  return COMPARED.every((key) => one[key] === other[key]);
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

/** What the codes mean that the verdict does not explain: our words, else those of the NAC's catalogue. */
function explain({ outcome, reasons }: DeviceAnswer, runs: readonly Run[]): Line[] {
  const told = outcome.kind === 'found' ? codeOf(outcome.record.failureReason) : undefined;
  const codes = new Set(runs.flatMap(({ newest }) => codeOf(newest.failureReason) ?? []));
  return [...codes]
    .filter((code) => code !== told)
    .flatMap((code) => {
      const own = explainFailure(code);
      const reason = reasons?.get(code);
      const said =
        own === undefined ? [reason?.cause].flatMap((cause) => cause ?? []).map(sentence) : [[own]];
      const advice = own === undefined ? sayResolution(reason) : undefined;
      const all = advice ? [...said, advice] : said;
      return all.length === 0 ? [] : [[`${code}: `, ...joinLines(all, ' ')]];
    })
    .slice(0, MOST_EXPLAINED);
}
