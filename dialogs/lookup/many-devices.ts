import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { timeOf } from '../../src/domain/session-signs.ts';
import { addressRuns, button, type Element, richText, runs, tokenLines, toned } from '../format/card.ts';
import { code, joinLines, type Line, line, lines, shorten, toMarkdown, toPlain } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import {
  headingPart,
  linePart,
  linesPart,
  type Message,
  messageOf,
  notePart,
  type Part,
} from '../format/message.ts';
import { sayNewest } from './attempts.ts';
import { type DeviceAnswer, isOwn, isStandIn, nameOf, sayAccount, tokensOf } from './device-answer.ts';
import type { Shown } from './difference.ts';
import { userOf } from './facts.ts';
import {
  type CommonCauses,
  commonCauses,
  reasonOf,
  sayHeadline,
  sayWell,
  sharedFault,
  triage,
} from './triage.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const WORDS = {
  waiting: 'still asking',
  again: 'Look up all again',
  own: 'Asked under your own account.',
  standIn: "Asked under the bot's account, because people's own accounts cannot be read now.",
  alone: (address: string, verdict: string) => `${address} ${verdict}: look up alone`,
};

export type Devices = {
  answers: readonly DeviceAnswer[];
  /** The devices that are not answered yet. */
  waiting: readonly DeviceAddress[];
  /** Whether another message replaces this one when all are answered. */
  isOnTheWay: boolean;
  /** Our sentences at the end, without foreign text. */
  ending: readonly string[];
  reader: Reader;
  /** Lets a press of "Look up all again" edit the message. */
  shown?: Shown | undefined;
};

/**
 * The answer for several devices: a count of each kind, what they have in common, then a line for each device with its
 * tokens under it, the worst first.
 */
export function devicesMessage({ answers, waiting, isOnTheWay, ending, reader, shown }: Devices): Message {
  const { format } = reader;
  const { unwell, well } = triage(answers, format);
  const isWhole = waiting.length === 0;
  const shared = isWhole ? sharedFault(answers, format) : undefined;
  const common = commonCauses(answers, format);
  const isAllOwn = answers.length > 0 && answers.every(isOwn);
  const isSaidOfAll = (answer: DeviceAnswer) => isAllOwn || isStandIn(answer);
  const row = (answer: DeviceAnswer) =>
    rowPart(rowOf(answer, reader, common), isSaidOfAll(answer) ? '' : sayAccount(answer));
  const parts = [
    headingPart(sayHeadline(answers, waiting, format)),
    ...(answers.some(isStandIn) ? [linePart([WORDS.standIn])] : []),
    ...(shared ? [linePart(shared)] : []),
    ...common.causes.map(linePart),
    ...unwell.map(row),
    ...(isWhole && unwell.length > 0 && well.length > 0 ? [notePart(sayWell(well.length, format))] : []),
    ...well.map(row),
    ...(isWhole ? [] : [waitingPart(waiting)]),
    ...(shown?.change ? [linePart(shown.change)] : []),
    ...[...ending, ...(isAllOwn ? [WORDS.own] : [])].map(notePart),
  ];
  const all = [...answers.map(({ asked }) => asked), ...waiting];
  return messageOf(parts, isOnTheWay ? [] : [button(WORDS.again, 'lookup', all.join(' '), shown?.was)]);
}

function waitingPart(addresses: readonly DeviceAddress[]): Part {
  return linesPart(
    addresses.map((address) => line`${address}: ${[WORDS.waiting]}`),
    { isSubtle: true },
  );
}

/** What is said of one of several devices. */
type Row = { answer: DeviceAnswer; verdict: Verdict; details: Line };

/** @param common what the message has said already */
function rowOf(answer: DeviceAnswer, reader: Reader, common: CommonCauses): Row {
  const verdict = verdictOf(answer, reader.format);
  const reason = verdict.tone === 'Good' ? [] : reasonOf(answer, reader, common);
  const where = whereOf(answer, reader.format);
  const newest = sayNewest(answer, reader.format) ?? [];
  const isLast = newest.length === 0;
  const said = [reason, where.length === 0 || isLast ? where : [...where, '.'], newest];
  const details = joinLines(
    said.filter(({ length }) => length > 0),
    ' ',
  );
  return { answer, verdict, details };
}

/** User and place, and how long the session is that old. */
function whereOf({ address, outcome }: DeviceAnswer, format: Format): Line {
  if (outcome.kind !== 'found') return [];
  const { networkDevice, port, ssid, since } = outcome.record;
  const user = userOf(address, outcome.record);
  const begun = timeOf(since);
  const places = [networkDevice, port, ssid].flatMap((text) =>
    text === undefined ? [] : [line`${shorten(text)}`],
  );
  return joinLines(
    [...(user ? [user] : []), ...places, ...(begun === undefined ? [] : [[format.age(begun)]])],
    ', ',
  );
}

/** One device with its tokens under it. @param own whose account was used, if the message does not say it of all */
function rowPart(row: Row, own: string): Part {
  const { answer, verdict, details } = row;
  const words = line`${nameOf(answer)}: ${[verdict.words, own]}`;
  const opening = details.length > 0 ? line`${words}. ${details}` : words;
  const tokens = tokensOf(answer);
  return {
    text: lines(toMarkdown(opening), ...tokens.map(code)),
    summary: [toPlain(opening), ...tokens].join('\n'),
    elements: [rowElement(row, own)],
  };
}

/** A press on a device looks up that device alone, with all details. */
function rowElement({ answer, verdict, details }: Row, own: string): Element {
  const { asked, address } = answer;
  const opening = [
    ...addressRuns(address, asked),
    ...runs([` ${verdict.words}`], { weight: 'Bolder' }),
    ...runs([own, ' ›'], { isSubtle: true }),
  ];
  // Only what is not well has a colour, because each background takes its room.
  return {
    ...toned(verdict.tone === 'Attention' ? 'Attention' : 'Default', [
      richText(opening),
      ...(details.length > 0 ? [richText(runs(details, { isSubtle: true }), 'None')] : []),
      ...tokenLines(tokensOf(answer)),
    ]),
    separator: true,
    spacing: 'Small',
    selectAction: button(WORDS.alone(asked, verdict.words), 'lookup', asked),
  };
}
