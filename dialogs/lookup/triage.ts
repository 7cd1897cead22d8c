import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { groupOf } from '../../src/domain/outcome.ts';
import { joinLines, type Line, line, shorten, toPlain } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { hintsOnSession } from './facts.ts';
import { verdictOf } from './verdict.ts';

const WORDS = {
  oneWell: 'The other device is well.',
  manyWell: (count: string) => `The other ${count} devices are well.`,
  leftOut: (taken: string, left: string) =>
    `The alert held more addresses: I looked up the first ${taken}, and left out ${left}.`,
  progress: (answered: string, all: string) => `${answered} of ${all} answered so far.`,
  result: (all: string, verdicts: string) => `${all} devices: ${verdicts}.`,
};

/** The devices that are not well, the worst first, and those that are. */
export function triage(
  answers: readonly DeviceAnswer[],
  format: Format,
): { unwell: DeviceAnswer[]; well: DeviceAnswer[] } {
  const rank = (answer: DeviceAnswer) => rankOf(answer, format);
  const unwell = answers.filter((answer) => rank(answer) !== WELL);
  return {
    unwell: unwell.toSorted((one, other) => rank(one) - rank(other)),
    well: answers.filter((answer) => rank(answer) === WELL),
  };
}

const WELL = 4;

/** What the NAC holds against a device comes before what it did not say. */
function rankOf(answer: DeviceAnswer, format: Format): number {
  const { tone } = verdictOf(answer, format);
  const isFound = answer.outcome.kind === 'found';
  if (tone === 'Attention') return isFound ? 0 : 1;
  if (tone === 'Good') return WELL;
  return answer.outcome.kind === 'no session' ? 2 : 3;
}

/** Why a device is not well, as far as it is known and not said already: the NAC's words, what they mean, and what to do. */
export function reasonOf(answer: DeviceAnswer, { format, now }: Reader, common: CommonCauses): Line {
  const { meaning } = verdictOf(answer, format);
  const isSaid = meaning === undefined || common.includes(meaning);
  const said = [...quote(answer), ...(isSaid ? [] : [meaning])];
  return joinLines([...said, ...hintsOnSession(answer, now)], ' ');
}

/** The NAC's own words. A rejection's verdict says why, in our words or the NAC's. */
function quote({ outcome }: DeviceAnswer): Line[] {
  if (outcome.kind !== 'found' || outcome.record.passed === false) return [];
  const { failureReason, passed, quarantine, rule, authorizationProfiles } = outcome.record;
  const why = failureReason ?? (passed && !quarantine ? (rule ?? authorizationProfiles) : undefined);
  return why === undefined ? [] : [line`${shorten(why)}.`];
}

/** How many devices are well beside those that are not. */
export function sayWell(well: number, format: Format): string {
  return well === 1 ? WORDS.oneWell : WORDS.manyWell(format.number(well));
}

/** How many addresses of an alert were not looked up; nothing if all were. */
export function sayLeftOut(taken: number, leftOut: number, format: Format): string[] {
  return leftOut > 0 ? [WORDS.leftOut(format.number(taken), format.number(leftOut))] : [];
}

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

/** Fewer devices share something by chance. */
const FEWEST = 3;

/** One device that is not well: its verdict, and what it may share with others. */
type Case = { words: string; networkDevice: string | undefined; reason: Line | undefined };

/**
 * What at least three devices share that are not well: the network device, else the reason of a rejection. Names the share
 * of the most devices. Looks at this answer's data alone.
 */
export function sharedFault(answers: readonly DeviceAnswer[], format: Format): Line | undefined {
  const cases = answers.flatMap((answer) => caseOf(answer, format));
  const groups = Map.groupBy(cases, ({ words }) => words);
  const shares = [...groups].flatMap(([words, group]) => shareOf(words, group, format) ?? []);
  return shares.toSorted((one, other) => other.count - one.count)[0]?.sentence;
}

function caseOf(answer: DeviceAnswer, format: Format): Case[] {
  if (answer.outcome.kind !== 'found') return [];
  const { words, meaning } = verdictOf(answer, format);
  if (words === 'connected' || words === 'session found') return [];
  const { networkDevice, passed } = answer.outcome.record;
  return [{ words, networkDevice, reason: passed === false ? meaning : undefined }];
}

type Share = { count: number; sentence: Line };

function shareOf(words: string, group: readonly Case[], format: Format): Share | undefined {
  const share = (count: number) => [
    `${format.number(count)} of ${format.number(group.length)} ${sayKind(words)}`,
  ];
  const neighbours = mostCommon(group, ({ networkDevice }) => networkDevice);
  const alike = mostCommon(group, ({ reason }) => reason && toPlain(reason));
  const place = neighbours[0]?.networkDevice;
  const reason = alike[0]?.reason;
  if (place !== undefined) {
    const count = neighbours.length;
    return { count, sentence: line`${share(count)} hang on ${shorten(place)}.` };
  }
  return reason && { count: alike.length, sentence: line`${share(alike.length)} for one reason: ${reason}` };
}

/** The cases with the most common value; empty if fewer than three have it. */
function mostCommon(group: readonly Case[], featureOf: (each: Case) => string | undefined): Case[] {
  const known = group.filter((each) => featureOf(each) !== undefined);
  const [most = []] = [...Map.groupBy(known, featureOf).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return most.length < FEWEST ? [] : most;
}

function sayKind(words: string): string {
  return words.endsWith(': waiting') ? `waiting for ${words.slice(0, -': waiting'.length)}` : words;
}

/** The kinds of answers that the headline counts, in this order. */
const KINDS = [
  'connected',
  'connected, posture pending',
  'connected, not compliant',
  'session found',
  'web login: waiting',
  'posture: waiting',
  'onboarding: waiting',
  'device management: waiting',
  'portal: waiting',
  'quarantined',
  'rejected',
  'ended',
  'no session',
  'no device',
  'failed',
] as const;

/** A count of each kind of answer; how many are answered while some are not. */
export function sayHeadline(
  answers: readonly DeviceAnswer[],
  waiting: readonly DeviceAddress[],
  format: Format,
): string {
  const all = format.number(answers.length + waiting.length);
  if (waiting.length > 0) return WORDS.progress(format.number(answers.length), all);
  const kinds = answers.map((answer) => kindOfAnswer(answer, format));
  const counts = KINDS.map((kind) => [kind, kinds.filter((each) => each === kind).length] as const);
  const verdicts = counts
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${format.number(count)} ${kind}`);
  return WORDS.result(all, verdicts.join(', '));
}

function kindOfAnswer(answer: DeviceAnswer, format: Format): (typeof KINDS)[number] {
  switch (groupOf(answer.outcome)) {
    case 'found': {
      const { words } = verdictOf(answer, format);
      return KINDS.find((kind) => kind === words) ?? 'session found';
    }
    case 'none':
      return 'no session';
    case 'not a device':
      return 'no device';
    case 'failed':
    case 'not asked':
      return 'failed';
  }
}
