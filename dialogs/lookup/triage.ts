import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { groupOf, type OutcomeGroup } from '../../src/domain/outcome.ts';
import { joinLines, type Line, line, shorten, toPlain } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { hintsOnSession } from './facts.ts';
import { verdictOf } from './verdict.ts';

/** Several devices in the order in which they are told, and what is said of them together. */
export type Triage = {
  /** The devices that are not well, the worst first. */
  unwell: readonly DeviceAnswer[];
  well: readonly DeviceAnswer[];
  /** How many devices are well beside those that are not; empty without either. */
  others: readonly string[];
  /** What is said once, not for each device: why at least two devices have no session or no answer. */
  causes: readonly Line[];
  /** Why a device is not well, as far as it is known and not among the causes: what the NAC says, what it means, what to do. */
  reasonOf(answer: DeviceAnswer): Line;
};

export function triage(answers: readonly DeviceAnswer[], { format, now }: Reader): Triage {
  const ranks = Map.groupBy(answers, (answer) => rankOf(answer, format));
  const well = ranks.get(WELL) ?? [];
  const unwell = [0, 1, 2, 3].flatMap((rank) => ranks.get(rank) ?? []);
  const meanings = answers.flatMap((answer) => {
    const { meaning } = verdictOf(answer, format);
    return answer.outcome.kind === 'found' || meaning === undefined ? [] : [meaning];
  });
  const common = [...Map.groupBy(meanings, toPlain)].filter(([, { length }]) => length > 1);
  const isCommon = new Set(common.map(([plain]) => plain));
  const others = well.length === 1 ? 'device is' : `${format.number(well.length)} devices are`;
  return {
    unwell,
    well,
    others: unwell.length > 0 && well.length > 0 ? [`The other ${others} well.`] : [],
    causes: common.flatMap(([, [first]]) => (first ? [first] : [])),
    reasonOf(answer) {
      const { meaning } = verdictOf(answer, format);
      const isSaid = meaning === undefined || isCommon.has(toPlain(meaning));
      const said = [...quote(answer), ...(isSaid ? [] : [meaning])];
      return joinLines([...said, ...hintsOnSession(answer, now)], ' ');
    },
  };
}

const WELL = 4;

/** What the NAC holds against a device comes before what it did not say. */
function rankOf(answer: DeviceAnswer, format: Format): number {
  const { tone } = verdictOf(answer, format);
  const { kind } = answer.outcome;
  if (tone === 'Attention') return kind === 'found' ? 0 : 1;
  if (tone === 'Good') return WELL;
  return kind === 'no session' ? 2 : 3;
}

/** The NAC's own words. A rejection's verdict says why, in our words or the NAC's. */
function quote({ outcome }: DeviceAnswer): Line[] {
  if (outcome.kind !== 'found' || outcome.record.passed === false) return [];
  const { failureReason, passed, quarantine, rule, authorizationProfiles } = outcome.record;
  const why = failureReason ?? (passed && !quarantine ? (rule ?? authorizationProfiles) : undefined);
  return why === undefined ? [] : [line`${shorten(why)}.`];
}

/** How many addresses of an alert were not looked up; nothing if all were. */
export function sayLeftOut(taken: number, leftOut: number, format: Format): string[] {
  const [first, left] = [taken, leftOut].map(format.number);
  return leftOut > 0
    ? [`The alert held more addresses: I looked up the first ${first}, and left out ${left}.`]
    : [];
}

/** Fewer devices share something by chance. */
const FEWEST = 3;

/** One device that is not well: its verdict, and what it may share with others. */
type Case = { words: string; networkDevice?: string | undefined; reason?: Line | undefined };

/**
 * What at least three devices share that are not well: the network device, else the reason of a rejection. Names the share
 * of the most devices. Looks at this answer's data alone.
 */
export function sharedFault(answers: readonly DeviceAnswer[], format: Format): Line | undefined {
  const cases = answers.flatMap((answer): Case[] => {
    if (answer.outcome.kind !== 'found') return [];
    const { words, meaning } = verdictOf(answer, format);
    if (words === 'connected' || words === 'session found') return [];
    const { networkDevice, passed } = answer.outcome.record;
    return [{ words, networkDevice, reason: passed === false ? meaning : undefined }];
  });
  const shares = [...Map.groupBy(cases, ({ words }) => words)].flatMap(([words, group]) => {
    const neighbours = mostCommon(group, ({ networkDevice }) => networkDevice);
    const alike = mostCommon(group, ({ reason }) => reason && toPlain(reason));
    const [{ networkDevice = '', reason = [] } = {}, ...others] = neighbours.length > 0 ? neighbours : alike;
    const count = others.length + 1;
    const kind = words.replace(/^(.*): waiting$/, 'waiting for $1');
    const opening = [`${format.number(count)} of ${format.number(group.length)} ${kind}`];
    if (neighbours.length > 0)
      return { count, sentence: line`${opening} hang on ${shorten(networkDevice)}.` };
    return alike.length > 0 ? { count, sentence: line`${opening} for one reason: ${reason}` } : [];
  });
  return shares.toSorted((one, other) => other.count - one.count)[0]?.sentence;
}

/** The cases with the most common value; empty if fewer than three have it. */
function mostCommon(group: readonly Case[], featureOf: (each: Case) => string | undefined): Case[] {
  const byFeature = Map.groupBy(group, featureOf);
  byFeature.delete(undefined);
  const [most = []] = [...byFeature.values()].toSorted((one, other) => other.length - one.length);
  return most.length < FEWEST ? [] : most;
}

/** What the headline counts, in this order: the verdicts on sessions, then the groups without one. */
const COUNTED = [
  ...['connected', 'connected, posture pending', 'connected, not compliant', 'session found'],
  ...['web login: waiting', 'posture: waiting', 'onboarding: waiting', 'device management: waiting'],
  ...['portal: waiting', 'quarantined', 'rejected', 'ended', 'no session', 'no device', 'failed'],
];

const GROUPS: Readonly<Record<Exclude<OutcomeGroup, 'found'>, string>> = {
  none: 'no session',
  'not a device': 'no device',
  failed: 'failed',
  'not asked': 'failed',
};

/** A count of each kind of answer; how many are answered while some are not. */
export function sayHeadline(
  answers: readonly DeviceAnswer[],
  waiting: readonly DeviceAddress[],
  format: Format,
): string {
  const all = format.number(answers.length + waiting.length);
  if (waiting.length > 0) return `${format.number(answers.length)} of ${all} answered so far.`;
  const kinds = Map.groupBy(answers, (answer) => {
    const group = groupOf(answer.outcome);
    return group === 'found' ? verdictOf(answer, format).words : GROUPS[group];
  });
  const counts = COUNTED.flatMap((kind) => {
    const { length } = kinds.get(kind) ?? [];
    return length > 0 ? [`${format.number(length)} ${kind}`] : [];
  });
  return `${all} devices: ${counts.join(', ')}.`;
}
