import type { MacAddress } from '../../src/mac-address.ts';
import {
  addressRuns,
  button,
  card,
  type Element,
  heading,
  richText,
  runs,
  tokenLines,
} from '../format/card.ts';
import { joinLines, type Line, line, toMarkdown, toPlain } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import { code, lines, paragraphs, shorten } from '../format/markdown.ts';
import type { Message } from '../format/message.ts';
import { type DeviceAnswer, tokensOf } from './device-answer.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const WORDS = {
  progress: (answered: string, all: string) => `${answered} of ${all} answered so far.`,
  result: (all: string, verdicts: string) => `${all} devices: ${verdicts}.`,
  waiting: 'still asking',
  again: 'Look up all again',
};

/** The kinds of answers that the headline counts, in this order. */
const KINDS = [
  'connected',
  'session found',
  'quarantined',
  'rejected',
  'no session',
  'no device',
  'failed',
] as const;

export type Devices = {
  answers: readonly DeviceAnswer[];
  /** The devices that are not answered yet. */
  waiting: readonly MacAddress[];
  /** Whether another message replaces this one when all are answered. */
  isOnTheWay: boolean;
  /** Our sentences at the end, without foreign text. */
  ending: readonly string[];
  reader: Reader;
};

/** The answer for several devices: a count of each kind, then a line for each device with its tokens under it. */
export function devicesMessage({ answers, waiting, isOnTheWay, ending, reader }: Devices): Message {
  const { format } = reader;
  const headline = sayHeadline(answers, waiting, format);
  const rows = answers.map((answer) => rowOf(answer, format));
  const waitingLines = waiting.map((address) => line`${address}: ${[WORDS.waiting]}`);
  return {
    text: paragraphs(
      headline,
      ...rows.map(({ opening, tokens }) => lines(toMarkdown(opening), ...tokens.map(code))),
      ...(waiting.length > 0 ? [lines(...waitingLines.map(toMarkdown))] : []),
      ...ending,
    ),
    summary: [
      headline,
      ...rows.flatMap(({ opening, tokens }) => [toPlain(opening), ...tokens]),
      ...waitingLines.map(toPlain),
      ...ending,
    ].join('\n'),
    card: card(
      [
        heading(headline),
        ...rows.map(rowElement),
        ...waitingLines.map((each) => richText(runs(each, { isSubtle: true }))),
        ...ending.map((words) => ({ type: 'TextBlock', text: words, wrap: true, spacing: 'Medium' })),
      ],
      isOnTheWay ? [] : [againButton([...answers.map(({ address }) => address), ...waiting])],
    ),
  };
}

export function againButton(addresses: readonly MacAddress[]): Element {
  return button(WORDS.again, 'lookup', addresses.join(' '));
}

/** What is said of one of several devices. */
export type Row = {
  address: MacAddress;
  verdict: Verdict;
  details: Line;
  opening: Line;
  tokens: readonly string[];
};

export function rowOf(answer: DeviceAnswer, format: Format): Row {
  const { address } = answer;
  const verdict = verdictOf(answer, format);
  const details = detailsOf(answer, verdict);
  const opening = [
    ...line`${address}: ${[verdict.words]}`,
    ...(details.length > 0 ? ['. ', ...details] : []),
  ];
  return { address, verdict, details, opening, tokens: tokensOf(answer) };
}

/** User and place in one line; if the lookup failed, what the failure means. */
function detailsOf({ outcome }: DeviceAnswer, { tone, meaning = [] }: Verdict): Line {
  if (outcome.kind !== 'found') return tone === 'Attention' ? meaning : [];
  const { user, networkDevice, port, ssid } = outcome.record;
  const known = [user, networkDevice, port, ssid].flatMap((text) =>
    text === undefined ? [] : [line`${shorten(text)}`],
  );
  return joinLines(known, ', ');
}

/** A tap on a device looks up that device alone, with all details. */
export function rowElement({ address, verdict, details, tokens }: Row): Element {
  const opening = [...addressRuns(address), ...runs([` ${verdict.words}`], { color: verdict.tone })];
  return {
    type: 'Container',
    separator: true,
    spacing: 'Small',
    items: [
      richText(opening),
      ...(details.length > 0 ? [richText(runs(details, { isSubtle: true }), 'None')] : []),
      ...tokenLines(tokens),
    ],
    selectAction: button(`${verdict.words}: ${address}`, 'lookup', address),
  };
}

/** How many devices there are, and how many of each kind. */
export function sayHeadline(
  answers: readonly DeviceAnswer[],
  waiting: readonly MacAddress[],
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
  switch (answer.outcome.kind) {
    case 'found': {
      const { words } = verdictOf(answer, format);
      return KINDS.find((kind) => kind === words) ?? 'session found';
    }
    case 'no session':
      return 'no session';
    case 'zero':
    case 'broadcast':
    case 'multicast':
      return 'no device';
    case 'refused':
    case 'resting':
    case 'paused':
    case 'busy':
    case 'disconnected':
    case 'forbidden':
    case 'fault':
    case 'unusable':
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
      return 'failed';
  }
}
