import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { timeOf } from '../../src/domain/record.ts';
import { addressRuns, button, richText, runs, tokenLines, toned } from '../format/card.ts';
import { code, joinLines, type Line, line, shorten, toMarkdown, toPlain } from '../format/line.ts';
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
import { sayHeadline, sharedFault, triage } from './triage.ts';
import { verdictOf } from './verdict.ts';

const WORDS = {
  waiting: 'still asking',
  again: 'Look up all again',
  own: 'Asked under your own account.',
  standIn: "Asked under the bot's account, because people's own accounts cannot be read now.",
  alone: (address: string, verdict: string) => `${address} ${verdict}: look up alone`,
};

/**
 * The answer for several devices: a count of each kind, what they have in common, then a line for each device with its
 * tokens under it, the worst first.
 * @param waiting the devices that are not answered yet
 * @param ending our sentences, without foreign text
 * @param isOnTheWay whether another message replaces this one when all are answered
 * @param shown lets a press of "Look up all again" edit the message
 */
export function devicesMessage(
  answers: readonly DeviceAnswer[],
  waiting: readonly DeviceAddress[],
  ending: readonly string[],
  reader: Reader,
  { isOnTheWay = false, shown }: { isOnTheWay?: boolean; shown?: Shown | undefined } = {},
): Message {
  const { format } = reader;
  const { unwell, well, others, causes, reasonOf } = triage(answers, reader);
  const isWhole = waiting.length === 0;
  const shared = isWhole ? sharedFault(answers, format) : undefined;
  const isAllOwn = answers.length > 0 && answers.every(isOwn);
  const row = (answer: DeviceAnswer) =>
    rowPart(answer, reasonOf(answer), isAllOwn || isStandIn(answer) ? '' : sayAccount(answer), format);
  const asking = waiting.map((address) => line`${address}: ${[WORDS.waiting]}`);
  const parts: Part[] = [
    headingPart(sayHeadline(answers, waiting, format)),
    ...(answers.some(isStandIn) ? [linePart([WORDS.standIn])] : []),
    ...(shared ? [linePart(shared)] : []),
    ...causes.map(linePart),
    ...unwell.map(row),
    ...(isWhole ? others.map(notePart) : []),
    ...well.map(row),
    ...(isWhole ? [] : [linesPart(asking, { isSubtle: true })]),
    ...(shown?.change ? [linePart(shown.change)] : []),
    ...[...ending, ...(isAllOwn ? [WORDS.own] : [])].map(notePart),
  ];
  const all = [...answers.map(({ asked }) => asked), ...waiting];
  return messageOf(parts, isOnTheWay ? [] : [button(WORDS.again, 'lookup', all.join(' '), shown?.was)]);
}

/**
 * One device with its tokens under it. A press on it looks up that device alone, with all details.
 * @param own whose account was used, if the message does not say it of all
 */
function rowPart(answer: DeviceAnswer, reason: Line, own: string, format: Format): Part {
  const { asked, address } = answer;
  const { words, tone } = verdictOf(answer, format);
  const details = detailsOf(answer, tone === 'Good' ? [] : reason, format);
  const opening = line`${nameOf(answer)}: ${[words, own]}`;
  const said = details.length > 0 ? line`${opening}. ${details}` : opening;
  const tokens = tokensOf(answer);
  const name = [
    ...addressRuns(address, asked),
    ...runs([` ${words}`], { weight: 'Bolder' }),
    ...runs([own, ' ›'], { isSubtle: true }),
  ];
  // Only what is not well has a colour, because each background takes its room.
  const element = {
    ...toned(tone === 'Attention' ? 'Attention' : 'Default', [
      richText(name),
      ...(details.length > 0 ? [richText(runs(details, { isSubtle: true }), 'None')] : []),
      ...tokenLines(tokens),
    ]),
    separator: true,
    spacing: 'Small',
    selectAction: button(WORDS.alone(asked, words), 'lookup', asked),
  };
  return {
    text: [toMarkdown(said), ...tokens.map(code)],
    summary: [toPlain(said), ...tokens],
    elements: [element],
  };
}

/** Why the device is not well, where it is, and its newest attempt. */
function detailsOf(answer: DeviceAnswer, reason: Line, format: Format): Line {
  const where = whereOf(answer, format);
  const newest = sayNewest(answer, format) ?? [];
  const place = newest.length > 0 && where.length > 0 ? [...where, '.'] : where;
  const said = [reason, place, newest].filter(({ length }) => length > 0);
  return joinLines(said, ' ');
}

/** User and place, and how long the session is that old. */
function whereOf({ address, outcome }: DeviceAnswer, format: Format): Line {
  if (outcome.kind !== 'found') return [];
  const { networkDevice, port, ssid, since } = outcome.record;
  const begun = timeOf(since);
  const user = userOf(address, outcome.record);
  const places = [networkDevice, port, ssid].filter((text) => text !== undefined);
  const age = begun === undefined ? [] : [[format.age(begun)]];
  return joinLines([...(user ? [user] : []), ...places.map((text) => line`${shorten(text)}`), ...age], ', ');
}
