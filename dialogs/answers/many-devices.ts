import type { DeviceAddress } from '../../src/device-address.ts';
import { addressRuns, button, type Element, richText, runs, tokenLines } from '../format/card.ts';
import { joinLines, type Line, line, toMarkdown, toPlain } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import { code, lines, shorten } from '../format/markdown.ts';
import type { Message } from '../format/message.ts';
import { headingPart, linePart, linesPart, messageOf, notePart, type Part } from '../format/part.ts';
import { sayNewest } from './attempts.ts';
import { type CommonCauses, commonCauses } from './common-causes.ts';
import { type DeviceAnswer, nameOf, tokensOf } from './device-answer.ts';
import { userOf } from './facts.ts';
import { sayHeadline } from './headline.ts';
import type { Verdict } from './session-verdict.ts';
import { sharedFault } from './shared-fault.ts';
import { verdictOf } from './verdict.ts';

const WORDS = {
  waiting: 'still asking',
  again: 'Look up all again',
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
};

/** The answer for several devices: a count of each kind, what faults share, then a line for each device with its tokens under it. */
export function devicesMessage({ answers, waiting, isOnTheWay, ending, reader }: Devices): Message {
  const { format } = reader;
  const shared = waiting.length === 0 ? sharedFault(answers, format) : undefined;
  const common = commonCauses(answers, format);
  const parts = [
    headingPart(sayHeadline(answers, waiting, format)),
    ...(shared ? [linePart(shared)] : []),
    ...common.causes.map(linePart),
    ...answers.map((answer) => rowPart(rowOf(answer, format, common))),
    ...(waiting.length > 0 ? [waitingPart(waiting)] : []),
    ...ending.map(notePart),
  ];
  return messageOf(
    parts,
    isOnTheWay ? [] : [againButton([...answers.map(({ asked }) => asked), ...waiting])],
  );
}

function waitingPart(addresses: readonly DeviceAddress[]): Part {
  return linesPart(
    addresses.map((address) => line`${address}: ${[WORDS.waiting]}`),
    { isSubtle: true },
  );
}

export function againButton(addresses: readonly DeviceAddress[]): Element {
  return button(WORDS.again, 'lookup', addresses.join(' '));
}

/** What is said of one of several devices. */
export type Row = Pick<DeviceAnswer, 'asked' | 'address'> & {
  verdict: Verdict;
  details: Line;
  opening: Line;
  tokens: readonly string[];
};

/** @param common what the message has said already */
export function rowOf(answer: DeviceAnswer, format: Format, common: CommonCauses): Row {
  const { asked, address } = answer;
  const verdict = verdictOf(answer, format);
  const newest = sayNewest(answer, format);
  const known = detailsOf(answer, verdict, common);
  const details = newest ? joinLines(known.length > 0 ? [stopped(known), newest] : [newest], ' ') : known;
  const opening = [
    ...line`${nameOf(answer)}: ${[verdict.words]}`,
    ...(details.length > 0 ? ['. ', ...details] : []),
  ];
  return { asked, address, verdict, details, opening, tokens: tokensOf(answer) };
}

/** A line with its full stop. */
function stopped(words: Line): Line {
  const last = words.at(-1);
  return typeof last === 'string' && last.endsWith('.') ? words : [...words, '.'];
}

/** Why, then user and place in one line; if the lookup failed, what the failure means. */
function detailsOf({ address, outcome }: DeviceAnswer, verdict: Verdict, common: CommonCauses): Line {
  const { tone, meaning = [] } = verdict;
  if (outcome.kind !== 'found') return tone === 'Attention' && !common.includes(meaning) ? meaning : [];
  const { networkDevice, port, ssid } = outcome.record;
  const user = userOf(address, outcome.record);
  const known = [networkDevice, port, ssid].flatMap((text) =>
    text === undefined ? [] : [line`${shorten(text)}`],
  );
  const place = joinLines(user ? [user, ...known] : known, ', ');
  return meaning.length > 0 && place.length > 0 ? [...meaning, ' ', ...place] : [...meaning, ...place];
}

/** One device with its tokens under it. */
export function rowPart(row: Row): Part {
  const { opening, tokens } = row;
  return {
    text: lines(toMarkdown(opening), ...tokens.map(code)),
    summary: [toPlain(opening), ...tokens].join('\n'),
    elements: [rowElement(row)],
  };
}

/** A tap on a device looks up that device alone, with all details. */
function rowElement({ asked, address, verdict, details, tokens }: Row): Element {
  const opening = [...addressRuns(address, asked), ...runs([` ${verdict.words}`], { color: verdict.tone })];
  return {
    type: 'Container',
    separator: true,
    spacing: 'Small',
    items: [
      richText(opening),
      ...(details.length > 0 ? [richText(runs(details, { isSubtle: true }), 'None')] : []),
      ...tokenLines(tokens),
    ],
    selectAction: button(`${verdict.words}: ${asked}`, 'lookup', asked),
  };
}
