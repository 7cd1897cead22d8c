import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { groupOf, type OutcomeGroup } from '../../src/domain/outcome.ts';
import { stateOf } from '../../src/domain/session.ts';
import { type Description, describe, verdictOf } from './describe.ts';
import { type DeviceAnswer, isTransient, recordOf } from './device.ts';
import { type Formatter, joinLines, type Line, line, sentence, shorten, text, toPlain } from './words.ts';

/** Several devices: the answers so far, and the addresses without one. */
export type Devices = { answers: readonly DeviceAnswer[]; waiting: readonly DeviceAddress[] };

/** One device among several. `why`: its reason, unless several devices share it. */
export type Triaged = Description & { answer: DeviceAnswer; why: Line };
/** Sorts several devices, the worst first, and finds what they share. */
export function triage(answers: readonly DeviceAnswer[], formatter: Formatter) {
  const all = worstFirst(answers).map((answer) => ({ ...describe(answer, formatter), answer }));
  // The reasons why at least two devices have no session or no answer.
  const reasons = all.filter(({ answer, reason }) => answer.outcome.kind !== 'found' && reason.length > 0);
  const alike = Map.groupBy(
    reasons.map(({ explanation }) => explanation),
    toPlain,
  );
  const causes = [...alike.values()].flatMap(([first, second]) => (first && second ? [first] : []));
  const common = new Set(causes.map(toPlain));
  const rows = all.map((each): Triaged => {
    if (rankOf(each.answer) === WELL) return { ...each, why: [], hints: [] };
    const { answer, explanation } = each;
    const why = common.has(toPlain(explanation)) ? [] : explanation;
    return { ...each, why: joinLines([ruleOf(answer), why], ' ') };
  });
  const well = rows.filter(({ answer }) => rankOf(answer) === WELL);
  const unwell = rows.slice(0, rows.length - well.length);
  const others = well.length === 1 ? 'device is' : `${formatter.number(well.length)} devices are`;
  return {
    unwell,
    well,
    /** Counts the devices that are well; empty unless some are and some are not. */
    others: unwell.length > 0 && well.length > 0 ? [`The other ${others} well.`] : [],
    shared: sharedFault(all, formatter),
    causes,
  };
}

export const worstFirst = (answers: readonly DeviceAnswer[]): DeviceAnswer[] =>
  answers.toSorted((one, other) => rankOf(one) - rankOf(other));

const WELL = 4;

function rankOf(answer: DeviceAnswer): number {
  const { tone } = verdictOf(answer);
  const { kind } = answer.outcome;
  if (tone === 'Attention') return kind === 'found' ? 0 : 1;
  if (tone === 'Good') return WELL;
  return kind === 'no session' ? 2 : 3;
}

function ruleOf(answer: DeviceAnswer): Line {
  const record = recordOf(answer);
  const { passed, rule, authorizationProfiles } = record;
  const isTold = ['connected', 'ended', 'quarantined'].includes(stateOf(record).kind);
  const name = text(rule ?? authorizationProfiles);
  return passed && !isTold && name.length > 0 ? sentence(name) : [];
}

/** Fewer devices may share something by chance. */
const MIN_ALIKE = 3;

/** At least three unwell devices share a network device, else a reason. Several such groups: the largest. */
function sharedFault(
  all: ReadonlyArray<Description & { answer: DeviceAnswer }>,
  formatter: Formatter,
): Line[] {
  const cases = all.flatMap(({ answer, words, reason }) => {
    const { networkDevice, passed } = recordOf(answer);
    const isWell = answer.outcome.kind !== 'found' || words === 'connected' || words === 'session found';
    return isWell ? [] : [{ words, networkDevice, reason: passed === false ? reason : [] }];
  });
  const shares = [...Map.groupBy(cases, ({ words }) => words)].flatMap(([words, group]) => {
    const neighbours = mostCommon(group, ({ networkDevice }) => networkDevice);
    const alike = mostCommon(group, ({ reason }) => toPlain(reason) || undefined);
    const [{ networkDevice = '', reason = [] } = {}, ...others] = neighbours.length > 0 ? neighbours : alike;
    const count = others.length + 1;
    const kind = words.replace(/^(.*): waiting$/, 'waiting for $1');
    const opening = [`${formatter.number(count)} of ${formatter.number(group.length)} ${kind}`];
    if (neighbours.length > 0) return { count, sentence: line`${opening} are on ${shorten(networkDevice)}.` };
    return alike.length > 0 ? { count, sentence: line`${opening} for one reason: ${reason}` } : [];
  });
  const [most] = shares.toSorted((one, other) => other.count - one.count);
  return most ? [most.sentence] : [];
}

function mostCommon<Case>(group: readonly Case[], featureOf: (each: Case) => string | undefined): Case[] {
  const byFeature = Map.groupBy(group, featureOf);
  byFeature.delete(undefined);
  const [most = []] = [...byFeature.values()].toSorted((one, other) => other.length - one.length);
  return most.length < MIN_ALIKE ? [] : most;
}

/** The headline's kinds, in its order: verdicts on sessions first. */
const COUNTED = [
  ...['connected', 'under a policy', 'user failed', 'machine failed', 'posture pending', 'not compliant'],
  ...['session found', 'web login: waiting', 'hotspot: waiting', 'posture: waiting', 'onboarding: waiting'],
  ...['device management: waiting', 'portal: waiting', 'quarantined', 'blocked', 'rejected'],
  ...['did not finish', 'suppressed', 'ended', 'no session', 'no device', 'not known'],
];

const GROUPS: Readonly<Record<Exclude<OutcomeGroup, 'found'>, string>> = {
  none: 'no session',
  'not a device': 'no device',
  failed: 'not known',
  'not asked': 'not known',
};

/** The kind of device in the headline and in a row. */
export function countedKind(answer: DeviceAnswer): string {
  const group = groupOf(answer.outcome);
  if (group !== 'found') return GROUPS[group];
  const { words } = verdictOf(answer);
  const { ancPolicy, epsStatus } = recordOf(answer);
  const isRestricted = words === 'connected' && Boolean(ancPolicy ?? epsStatus);
  return isRestricted ? 'under a policy' : words.replace(/^connected, /, '');
}

const isDown = (answer: DeviceAnswer) => isTransient(answer) || answer.outcome.kind === 'given up';

/** Counts each kind of answer, or the answers while some are missing. Gives the reason if no device has an answer. */
export function headline(
  { answers, waiting }: Devices,
  formatter: Formatter,
  maxKinds = COUNTED.length,
): string {
  const all = formatter.number(answers.length + waiting.length);
  if (waiting.length > 0) return `${formatter.number(answers.length)} of ${all} answered so far.`;
  const kinds = Map.groupBy(answers, countedKind);
  const unknown = kinds.get('not known') ?? [];
  if (unknown.length === answers.length && unknown.length > 1) {
    const [first = '', ...others] = new Set(unknown.map((answer) => verdictOf(answer).words));
    const downSince = formatter.downSince();
    const silence =
      downSince === undefined ? 'does not answer' : `has not answered since ${formatter.clock(downSince)}`;
    const why = unknown.every(isDown) ? `the NAC ${silence}` : others.length === 0 ? first : '';
    return `${all} devices not known${why && `: ${why}`}.`;
  }
  const counts = COUNTED.flatMap((kind) => {
    const { length } = kinds.get(kind) ?? [];
    return length > 0 ? [`${formatter.number(length)} ${kind}`] : [];
  });
  const { length: connected } = kinds.get('connected') ?? [];
  const others = formatter.number(answers.length - connected);
  if (counts.length > maxKinds)
    return `${all} devices: ${formatter.number(connected)} connected, ${others} not well.`;
  return `${all} devices: ${counts.join(', ')}.`;
}
