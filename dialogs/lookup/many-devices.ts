import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { groupOf, type OutcomeGroup } from '../../src/domain/outcome.ts';
import { timeOf } from '../../src/domain/record.ts';
import * as card from '../format/card.ts';
import { type Message, messageOf } from '../format/message.ts';
import { code, joinLines, type Line, line, type Reader, shorten, toPlain } from '../format/words.ts';
import { sayLast } from './attempts.ts';
import type { DeviceAnswer } from './device-answer.ts';
import * as device from './device-answer.ts';
import { quoted, whoAndWhere } from './facts.ts';
import { doubtsOn, hintsOnSession, sayKnown } from './hints.ts';
import type { Shown } from './told.ts';
import { firstLine, meaningOf, verdictOf } from './verdict.ts';

const WORDS = {
  waiting: 'still asking',
  again: 'Look up all again',
  own: 'Asked under your own account.',
  standIn: "Asked under the bot's account, because people's own accounts cannot be read now.",
  alone: (address: string, verdict: string) => `${address} ${verdict}: look up alone`,
};

/** What is known of several devices, and which are not answered yet. */
export type Devices = { answers: readonly DeviceAnswer[]; waiting: readonly DeviceAddress[] };

/** The answer for several devices, the worst first. @param isOnTheWay whether another message replaces this one */
export function devicesMessage(
  devices: Devices,
  ending: readonly string[],
  reader: Reader,
  { isOnTheWay = false, shown }: { isOnTheWay?: boolean; shown?: Shown | undefined },
): Message {
  const { answers, waiting } = devices;
  const { unwell, well, others, shared, causes, reasonOf } = triage(answers, reader);
  const isWhole = waiting.length === 0;
  const isAllOwn = answers.length > 0 && answers.every(device.isOwn);
  const row = (answer: DeviceAnswer) => {
    const own = isAllOwn || device.isStandIn(answer) ? '' : device.sayAccount(answer);
    return rowPart(answer, reasonOf(answer), own, reader);
  };
  const asking = waiting.map((address) => line`${address}: ${[WORDS.waiting]}`);
  const parts: card.Part[] = [
    card.headingPart(sayHeadline(devices, reader)),
    ...(answers.some(device.isStandIn) ? [card.linePart([WORDS.standIn])] : []),
    ...[...(isWhole ? shared : []), ...causes].map((each) => card.linePart(each)),
    ...unwell.map(row),
    ...(isWhole ? others.map(card.notePart) : []),
    ...well.map(row),
    ...(isWhole ? [] : [card.linesPart(asking, { isSubtle: true })]),
    ...(shown?.change ? [card.linePart(shown.change)] : []),
    ...[...ending, ...(isAllOwn ? [WORDS.own] : [])].map(card.notePart),
  ];
  const all = [...answers.map(({ asked }) => asked), ...waiting];
  return messageOf(parts, isOnTheWay ? [] : [card.button(WORDS.again, 'lookup', all.join(' '), shown?.was)]);
}

/** One device with its tokens under it. `own`: whose account was used, if the message does not say it of all. */
function rowPart(answer: DeviceAnswer, reason: Line, own: string, reader: Reader): card.Part {
  const { asked, address } = answer;
  const { words, tone } = verdictOf(answer);
  const begun = timeOf(device.recordOf(answer).since);
  const where = whoAndWhere(answer, begun === undefined ? [] : [[reader.age(begun)]]);
  const newest = answer.outcome.kind === 'found' || answer.isNobodySeen ? sayLast(answer, reader) : [];
  const place = newest.length > 0 && where.length > 0 ? [...where, '.'] : where;
  const why = tone === 'Good' ? joinLines(doubtsOn(answer), ' ') : reason;
  const details = joinLines([why, place, ...sayKnown(answer, reader), ...newest], ' ');
  const said =
    details.length > 0
      ? firstLine(device.nameOf(answer), words + own, details)
      : line`${device.nameOf(answer)}: ${[words, own]}`;
  const tokens = device.tokensOf(answer);
  const name = [
    ...card.addressRuns(address, asked),
    ...card.runs([` ${words}`], { weight: 'Bolder' }),
    ...card.runs([own, ' ›'], { isSubtle: true }),
  ];
  // Only what is not well has a colour, because each background takes its room.
  const element = {
    ...card.toned(tone === 'Attention' ? 'Attention' : 'Default', [
      card.richText(name),
      ...(details.length > 0 ? [card.richText(card.runs(details, { isSubtle: true }), 'None')] : []),
      ...card.tokenLines(tokens),
    ]),
    separator: true,
    spacing: 'Small',
    selectAction: card.button(WORDS.alone(asked, words), 'lookup', asked),
  };
  const below = { text: tokens.map(code), summary: tokens, elements: [] };
  return card.joinParts([card.linePart(said, [element]), below]);
}

/** Several devices in the order in which they are told, the worst first, and what is said of them together. */
export function triage(answers: readonly DeviceAnswer[], reader: Reader) {
  const ranks = Map.groupBy(answers, rankOf);
  const well = ranks.get(WELL) ?? [];
  const unwell = [0, 1, 2, 3].flatMap((rank) => ranks.get(rank) ?? []);
  const sessionless = answers.filter(({ outcome }) => outcome.kind !== 'found');
  const meanings = sessionless.map((answer) => meaningOf(answer, reader));
  const common = [...Map.groupBy(meanings, toPlain)].filter(([, { length }]) => length > 1);
  const isCommon = new Set(common.map(([plain]) => plain));
  const others = well.length === 1 ? 'device is' : `${reader.number(well.length)} devices are`;
  return {
    unwell,
    well,
    /** How many devices are well beside those that are not; empty without either. */
    others: unwell.length > 0 && well.length > 0 ? [`The other ${others} well.`] : [],
    shared: sharedFault(answers, reader),
    /** What is said once, not for each device: why at least two devices have no session or no answer. */
    causes: common.flatMap(([, [first]]) => (first ? [first] : [])),
    /** Why a device is not well beside the causes: what the NAC says, what it means, what to do. */
    reasonOf(answer: DeviceAnswer): Line {
      const meaning = meaningOf(answer, reader);
      const own = isCommon.has(toPlain(meaning)) ? [] : meaning;
      return joinLines([...quote(answer), own, ...hintsOnSession(answer, reader)], ' ');
    },
  };
}

const WELL = 4;

/** What the NAC holds against a device comes before what it did not say. */
function rankOf(answer: DeviceAnswer): number {
  const { tone } = verdictOf(answer);
  const { kind } = answer.outcome;
  if (tone === 'Attention') return kind === 'found' ? 0 : 1;
  if (tone === 'Good') return doubtsOn(answer).length > 0 ? 3 : WELL;
  return kind === 'no session' ? 2 : 3;
}

/** The NAC's own words. A rejection's verdict says why, in our words or the NAC's. */
function quote(answer: DeviceAnswer): Line[] {
  const { failureReason, passed, ended, quarantine, rule, authorizationProfiles } = device.recordOf(answer);
  if (passed === false) return [];
  const why =
    failureReason ?? (passed && !ended && !quarantine ? (rule ?? authorizationProfiles) : undefined);
  return quoted(why).map((words) => line`${words}.`);
}

/** Fewer devices share something by chance. */
const FEWEST = 3;

/** What at least three devices that are not well share: the network device, else the reason. Names the share of the most. */
function sharedFault(answers: readonly DeviceAnswer[], reader: Reader): Line[] {
  const cases = answers.flatMap((answer) => {
    if (answer.outcome.kind !== 'found') return [];
    const { words } = verdictOf(answer);
    if (words === 'connected' || words === 'session found') return [];
    const { networkDevice, passed } = answer.outcome.record;
    return [{ words, networkDevice, reason: passed === false ? meaningOf(answer, reader) : [] }];
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
  return most.length < FEWEST ? [] : most;
}

/** What the headline counts, in this order: the verdicts on sessions, then what there is without one. */
const COUNTED = [
  ...['connected', 'user failed', 'machine failed', 'posture pending', 'not compliant', 'session found'],
  ...['web login: waiting', 'posture: waiting', 'onboarding: waiting'],
  ...['device management: waiting', 'portal: waiting'],
  ...['quarantined', 'blocked', 'rejected', 'ended', 'no session', 'no device', 'not known'],
];

const GROUPS: Readonly<Record<Exclude<OutcomeGroup, 'found'>, string>> = {
  none: 'no session',
  'not a device': 'no device',
  failed: 'not known',
  'not asked': 'not known',
};

const isDown = (answer: DeviceAnswer) => device.isPassing(answer) || answer.outcome.kind === 'given up';

/** A count of each kind of answer; how many are answered while some are not; why, if nothing is known of any device. */
export function sayHeadline({ answers, waiting }: Devices, reader: Reader): string {
  const all = reader.number(answers.length + waiting.length);
  if (waiting.length > 0) return `${reader.number(answers.length)} of ${all} answered so far.`;
  const kinds = Map.groupBy(answers, (answer) => {
    const group = groupOf(answer.outcome);
    return group === 'found' ? verdictOf(answer).words.replace(/^connected, /, '') : GROUPS[group];
  });
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
  return `${all} devices: ${counts.join(', ')}.`;
}
