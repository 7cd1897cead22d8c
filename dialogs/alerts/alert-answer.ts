import type { AlertDetails } from '../../src/domain/alert.ts';
import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { Delivery } from '../../src/webhook/delivery.ts';
import { paragraphs, toPlain } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import type { Message } from '../format/message.ts';
import { answerMessage } from '../lookup/answer.ts';
import { countTokens, type DeviceAnswer, isPassing, sayNumber, tokensOf } from '../lookup/device-answer.ts';
import { sayDelivery } from '../lookup/fault-words.ts';
import { devicesMessage } from '../lookup/many-devices.ts';
import {
  type CommonCauses,
  commonCauses,
  reasonOf,
  sayLeftOut,
  sayWell,
  sharedFault,
  triage,
} from '../lookup/triage.ts';
import { verdictOf } from '../lookup/verdict.ts';
import { alertHeadText, withAlertHead } from './alert-head.ts';

const WORDS = {
  waiting: 'Still asking the NAC about',
  /** A device whose answer is a passing failure was asked for that long. */
  silent: (devices: string) => `The NAC did not answer for 10 minutes about ${devices}.`,
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
    ? devicesMessage({ answers, waiting, isOnTheWay: true, ending, reader })
    : answerMessage(answers, undefined, reader, ending);
  return withAlertHead(message, details, format, times);
}

/** The post for an alert. It also tells of devices without tokens, because nobody else would be told. */
export function alertRoomText({ answers, waiting, details, leftOut }: AnsweredAlert, reader: Reader): string {
  const { format } = reader;
  const { unwell, well } = triage(answers, format);
  const shared = sharedFault(answers, format);
  const common = commonCauses(answers, format);
  return paragraphs(
    alertHeadText(details, format),
    ...common.causes.map(toPlain),
    ...unwell.map((answer) => unwellBlock(answer, reader, common)),
    ...(unwell.length > 0 && well.length > 0 ? [sayWell(well.length, format)] : []),
    ...well.map((answer) => wellBlock(answer, format)),
    ...(shared ? [toPlain(shared)] : []),
    ...(waiting.length > 0 ? [`${WORDS.waiting}: ${waiting.join(', ')}.`] : []),
    ...saySilent(answers),
    ...sayLeftOut(answers.length + waiting.length, leftOut, format),
  );
}

function saySilent(answers: readonly DeviceAnswer[]): string[] {
  const silent = answers.filter((each) => isPassing(each) || each.outcome.kind === 'given up');
  return silent.length > 0 ? [WORDS.silent(silent.map(({ asked }) => asked).join(', '))] : [];
}

function unwellBlock(answer: DeviceAnswer, reader: Reader, common: CommonCauses): string {
  const tokens = tokensOf(answer);
  const { words } = verdictOf(answer, reader.format);
  const isBare = answer.outcome.kind === 'found' && countTokens(answer) === 0;
  const reason = toPlain(reasonOf(answer, reader, common));
  const opening = `${answer.address}: ${words}${isBare ? ', without tokens' : ''}.`;
  return [reason === '' ? opening : `${opening} ${reason}`, ...tokens].join('\n');
}

function wellBlock(answer: DeviceAnswer, format: Format): string {
  if (countTokens(answer) > 0) return [answer.address, ...tokensOf(answer)].join('\n');
  return `${answer.address}: ${verdictOf(answer, format).words}, without tokens.`;
}
