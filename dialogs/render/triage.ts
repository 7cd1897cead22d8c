import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { groupOf, type OutcomeGroup } from '../../src/domain/outcome.ts';
import { type SessionRecord, stateOf } from '../../src/domain/session.ts';
import { type Description, describe, whyOf } from './describe.ts';
import type { DeviceAnswer } from './device.ts';
import * as device from './device.ts';
import { quoted } from './facts.ts';
import { verdictOf } from './verdict.ts';
import { joinLines, type Line, line, type Reader, sentence, shorten, toPlain } from './words.ts';

/** What is known of several devices, and which are not answered yet. */
export type Devices = { answers: readonly DeviceAnswer[]; waiting: readonly DeviceAddress[] };

/** One device among several; `why`: what is said of it alone. */
export type Triaged = Description & { answer: DeviceAnswer; why: Line };

/** Several devices in the order in which they are told, the worst first, and what is said of them together. */
export function triage(answers: readonly DeviceAnswer[], reader: Reader) {
  const all = answers.map((answer) => ({ ...describe(answer, reader), answer }));
  const sessionless = all.filter(
    ({ answer, reason }) => answer.outcome.kind !== 'found' && reason.length > 0,
  );
  const common = [...Map.groupBy(sessionless.map(whyOf), toPlain)].filter(([, { length }]) => length > 1);
  const isCommon = new Set(common.map(([plain]) => plain));
  const ranks = Map.groupBy(all, rankOf);
  const rowOf = (described: (typeof all)[number]): Triaged => {
    const why = whyOf(described);
    const said = [...quote(device.recordOf(described.answer)), isCommon.has(toPlain(why)) ? [] : why];
    return { ...described, why: joinLines(said, ' ') };
  };
  const well = (ranks.get(WELL) ?? []).map((each): Triaged => ({ ...each, why: [], hints: [] }));
  const unwell = [0, 1, 2, 3].flatMap((rank) => ranks.get(rank) ?? []).map(rowOf);
  const others = well.length === 1 ? 'device is' : `${reader.number(well.length)} devices are`;
  return {
    unwell,
    well,
    /** How many devices are well besides those that are not; empty without either. */
    others: unwell.length > 0 && well.length > 0 ? [`The other ${others} well.`] : [],
    shared: sharedFault(all, reader),
    /** What is said once, not for each device: why at least two devices have no session or no answer. */
    causes: common.flatMap(([, [first]]) => (first ? [first] : [])),
  };
}

const WELL = 4;

/** What the NAC holds against a device comes before what it did not say. */
function rankOf({ tone, answer }: Description & { answer: DeviceAnswer }): number {
  const { kind } = answer.outcome;
  if (tone === 'Attention') return kind === 'found' ? 0 : 1;
  if (tone === 'Good') return WELL;
  return kind === 'no session' ? 2 : 3;
}

/** The rule or profile that decided. A failure's verdict says why, in our words or the NAC's. */
function quote(record: SessionRecord): Line[] {
  const { passed, rule, authorizationProfiles } = record;
  const isTold = ['connected', 'ended', 'quarantined'].includes(stateOf(record).kind);
  return passed && !isTold ? quoted(rule ?? authorizationProfiles).map(sentence) : [];
}

/** Fewer devices share something by chance. */
const MIN_ALIKE = 3;

/** What at least three devices that are not well share: the network device, else the reason. Names the share of the most. */
function sharedFault(all: ReadonlyArray<Description & { answer: DeviceAnswer }>, reader: Reader): Line[] {
  const cases = all.flatMap(({ answer, words, reason }) => {
    const { networkDevice, passed } = device.recordOf(answer);
    const isWell = answer.outcome.kind !== 'found' || words === 'connected' || words === 'session found';
    return isWell ? [] : [{ words, networkDevice, reason: passed === false ? reason : [] }];
  });
  const shares = [...Map.groupBy(cases, ({ words }) => words)].flatMap(([words, group]) => {
    const neighbours = mostCommon(group, ({ networkDevice }) => networkDevice);
    const alike = mostCommon(group, ({ reason }) => toPlain(reason) || undefined);
    const [{ networkDevice = '', reason = [] } = {}, ...others] = neighbours.length > 0 ? neighbours : alike;
    const count = others.length + 1;
    const kind = words.replace(/^(.*): waiting$/, 'waiting for $1');
    const opening = [`${reader.number(count)} of ${reader.number(group.length)} ${kind}`];
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

/** What the headline counts, in this order: the verdicts on sessions, then what there is without one. */
const COUNTED = [
  ...[
    'connected',
    'under a policy',
    'user failed',
    'machine failed',
    'posture pending',
    'not compliant',
    'session found',
  ],
  ...['web login: waiting', 'hotspot: waiting', 'posture: waiting', 'onboarding: waiting'],
  ...['device management: waiting', 'portal: waiting'],
  ...['quarantined', 'blocked', 'rejected', 'did not finish', 'suppressed', 'ended'],
  ...['no session', 'no device', 'not known'],
];

const GROUPS: Readonly<Record<Exclude<OutcomeGroup, 'found'>, string>> = {
  none: 'no session',
  'not a device': 'no device',
  failed: 'not known',
  'not asked': 'not known',
};

/** What the headline counts a device as, and its row says in a word. */
export function kindOf(answer: DeviceAnswer): string {
  const group = groupOf(answer.outcome);
  if (group !== 'found') return GROUPS[group];
  const { words } = verdictOf(answer);
  const isRestricted = words === 'connected' && device.recordOf(answer).restrictions !== undefined;
  return isRestricted ? 'under a policy' : words.replace(/^connected, /, '');
}

const isDown = (answer: DeviceAnswer) => device.isPassing(answer) || answer.outcome.kind === 'given up';

/** A count of each kind of answer; how many are answered while some are not; why, if nothing is known of any device. */
export function headline({ answers, waiting }: Devices, reader: Reader, maxKinds = COUNTED.length): string {
  const all = reader.number(answers.length + waiting.length);
  if (waiting.length > 0) return `${reader.number(answers.length)} of ${all} answered so far.`;
  const kinds = Map.groupBy(answers, kindOf);
  const unknown = kinds.get('not known') ?? [];
  if (unknown.length === answers.length && unknown.length > 1) {
    const [first = '', ...others] = new Set(unknown.map((answer) => verdictOf(answer).words));
    const downSince = reader.downSince();
    const silence =
      downSince === undefined ? 'does not answer' : `has not answered since ${reader.clock(downSince)}`;
    const why = unknown.every(isDown) ? `the NAC ${silence}` : others.length === 0 ? first : '';
    return `${all} devices not known${why && `: ${why}`}.`;
  }
  const counts = COUNTED.flatMap((kind) => {
    const { length } = kinds.get(kind) ?? [];
    return length > 0 ? [`${reader.number(length)} ${kind}`] : [];
  });
  const { length: connected } = kinds.get('connected') ?? [];
  const others = reader.number(answers.length - connected);
  if (counts.length > maxKinds)
    return `${all} devices: ${reader.number(connected)} connected, ${others} not well.`;
  return `${all} devices: ${counts.join(', ')}.`;
}
