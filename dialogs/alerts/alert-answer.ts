import type { AlertDetails } from '../../src/domain/alert.ts';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { Digest } from '../../src/domain/incident.ts';
import type { Delivery } from '../../src/webhook/delivery.ts';
import { type Line, line, paragraphs, shorten, toMarkdown, toPlain } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import { headingPart, linesPart, type Message, messageOf, notePart } from '../format/message.ts';
import { answerMessage } from '../lookup/answer.ts';
import { sayTokensLeftOut } from '../lookup/bounds.ts';
import {
  countTokens,
  type DeviceAnswer,
  isPassing,
  nameOf,
  sayNumber,
  tokensOf,
} from '../lookup/device-answer.ts';
import { devicesMessage } from '../lookup/many-devices.ts';
import { sayHeadline, sayLeftOut, sharedFault, type Triage, triage } from '../lookup/triage.ts';
import { sayDelivery, verdictOf } from '../lookup/verdict.ts';
import { alertHeadText, withAlertHead } from './alert-head.ts';

const WORDS = {
  waiting: 'Still asking the NAC about',
  /** A device whose answer is a passing failure was asked for that long. */
  silent: (devices: string) => `The NAC did not answer for 10 minutes about ${devices}.`,
  stillAsking: 'still asking',
  resolved: 'Resolved',
  reopened: 'Firing again',
  gone: (addresses: string) => `No longer in the alert: ${addresses}.`,
  oneUnchanged: '1 device is unchanged.',
  manyUnchanged: (count: string) => `${count} devices are unchanged.`,
  oneMore: '1 more alert',
  manyMore: (count: number) => `${count} more alerts`,
  noLine: (count: number) => `${count} of them have no line here.`,
};

/** An alert, and what is known of its devices. */
export type AnsweredAlert = {
  /** Of its audit lines. */
  number: number;
  answers: readonly DeviceAnswer[];
  /** The devices that the NAC is still asked about. */
  waiting: readonly DeviceAddress[];
  details: AlertDetails;
  /** How many addresses were not looked up. */
  leftOut: number;
  /** How many alerts said that the incident is firing; undefined: this is the first. */
  times?: number;
};

/** The answer in the alert's thread: the alert, then the devices, the worst first. */
export function alertMessage(alert: AnsweredAlert, delivery: Delivery, reader: Reader): Message {
  const { number, answers, waiting, details, leftOut, times } = alert;
  const { format } = reader;
  const isPartly = waiting.length > 0;
  const ending = [
    ...(isPartly && delivery.outcome.kind === 'posted' ? [] : [sayDelivery(delivery, 'devices')]),
    ...saySilent(answers),
    ...sayLeftOut(answers.length + waiting.length, leftOut, format),
    ...sayNumber(number, answers, delivery),
  ];
  const message = isPartly
    ? devicesMessage(answers, waiting, ending, reader, { isOnTheWay: true })
    : answerMessage(answers, undefined, reader, ending);
  return withAlertHead(message, details, format, times);
}

/** What the room has not heard: devices that are new or differ, and addresses that are no longer in the alert. */
type Difference = { changed: readonly DeviceAnswer[]; gone: readonly string[] };

/** The post for what has changed in an alert. It also tells of devices without tokens, because nobody else would be told. */
export function alertRoomText(
  { number, answers, waiting, details, leftOut }: AnsweredAlert,
  { changed, gone }: Difference,
  reader: Reader,
): string {
  const { format } = reader;
  const { unwell, well, others, causes, reasonOf } = triage(changed, reader);
  const shared = sharedFault(changed, format);
  const unchanged = answers.length - changed.length;
  return paragraphs(
    alertHeadText(details, format),
    ...causes.map(toPlain),
    ...unwell.map((answer) => unwellBlock(answer, reasonOf, format)),
    ...others,
    ...well.map((answer) => wellBlock(answer, format)),
    ...(shared ? [toPlain(shared)] : []),
    ...(waiting.length > 0 ? [`${WORDS.waiting}: ${waiting.join(', ')}.`] : []),
    ...saySilent(changed),
    ...(unchanged > 0 ? [] : sayLeftOut(changed.length + waiting.length, leftOut, format)),
    ...(gone.length > 0 ? [WORDS.gone(gone.join(', '))] : []),
    ...(unchanged === 1 ? [WORDS.oneUnchanged] : []),
    ...(unchanged > 1 ? [WORDS.manyUnchanged(format.number(unchanged))] : []),
    ...sayNumber(number, changed, undefined),
    ...sayTokensLeftOut(changed, format, String),
  );
}

function saySilent(answers: readonly DeviceAnswer[]): string[] {
  const silent = answers.filter((each) => isPassing(each) || each.outcome.kind === 'given up');
  return silent.length > 0 ? [WORDS.silent(silent.map(({ asked }) => asked).join(', '))] : [];
}

function unwellBlock(answer: DeviceAnswer, reasonOf: Triage['reasonOf'], format: Format): string {
  const tokens = tokensOf(answer);
  const { words } = verdictOf(answer, format);
  const isBare = answer.outcome.kind === 'found' && countTokens(answer) === 0;
  const reason = toPlain(reasonOf(answer));
  const opening = `${answer.address}: ${words}${isBare ? ', without tokens' : ''}.`;
  return [reason === '' ? opening : `${opening} ${reason}`, ...tokens].join('\n');
}

function wellBlock(answer: DeviceAnswer, format: Format): string {
  if (countTokens(answer) > 0) return [answer.address, ...tokensOf(answer)].join('\n');
  return `${answer.address}: ${verdictOf(answer, format).words}, without tokens.`;
}

/** The line that tells a thread of an edit, because nobody is notified of one. */
export function stateLine(state: 'resolved' | 'reopened', alert: AnsweredAlert, format: Format): Message {
  const { title } = alert.details;
  const opening = title === undefined ? [`${WORDS[state]}. `] : line`${[WORDS[state]]}: ${shorten(title)}. `;
  return { text: toMarkdown([...opening, ...sayDevices(alert, format)]) };
}

/** One device with its verdict, or a count of each verdict. */
function sayDevices({ answers, waiting }: AnsweredAlert, format: Format): Line {
  const [first] = answers;
  if (answers.length + waiting.length !== 1) return [sayHeadline(answers, waiting, format)];
  return first === undefined
    ? line`${waiting.join()}: ${[WORDS.stillAsking]}.`
    : line`${nameOf(first)}: ${[verdictOf(first, format).words]}.`;
}

/** An incident as one line of a digest: its head, then its devices. Plain, with foreign text. */
export function lineOf(alert: AnsweredAlert, format: Format): string {
  const [head = ''] = alertHeadText(alert.details, format).split('\n');
  return `${head} · ${toPlain(sayDevices(alert, format))}`;
}

/** The message that the incidents of a storm share. */
export function digestMessage({ lines, more }: Digest): Message {
  const count = lines.length + more;
  return messageOf([
    headingPart(count === 1 ? WORDS.oneMore : WORDS.manyMore(count)),
    linesPart(lines.map(({ words }) => line`${words}`)),
    ...(more > 0 ? [notePart(WORDS.noLine(more))] : []),
  ]);
}
