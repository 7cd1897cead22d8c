import { type Line, line, paragraphs, shorten, toMarkdown } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import type { Message } from '../format/message.ts';
import { sayTokensLeftOut } from '../lookup/bounds.ts';
import { type DeviceAnswer, nameOf, sayNumber } from '../lookup/device-answer.ts';
import { sayHeadline } from '../lookup/triage.ts';
import { verdictOf } from '../lookup/verdict.ts';
import { type AnsweredAlert, alertRoomText } from './alert-answer.ts';

const WORDS = {
  waiting: 'still asking',
  resolved: 'Resolved',
  reopened: 'Firing again',
  gone: (addresses: string) => `No longer in the alert: ${addresses}.`,
  oneUnchanged: '1 device is unchanged.',
  manyUnchanged: (count: string) => `${count} devices are unchanged.`,
};

/** The line that tells a thread of an edit, because nobody is notified of one. */
export function stateLine(state: 'resolved' | 'reopened', alert: AnsweredAlert, format: Format): Message {
  const { title } = alert.details;
  const opening = title === undefined ? [`${WORDS[state]}. `] : line`${[WORDS[state]]}: ${shorten(title)}. `;
  return { text: toMarkdown([...opening, ...sayDevices(alert, format)]) };
}

/** One device with its verdict, or a count of each verdict. */
export function sayDevices({ answers, waiting }: AnsweredAlert, format: Format): Line {
  const [first] = answers;
  if (answers.length + waiting.length !== 1) return [sayHeadline(answers, waiting, format)];
  return first === undefined
    ? line`${waiting.join()}: ${[WORDS.waiting]}.`
    : line`${nameOf(first)}: ${[verdictOf(first, format).words]}.`;
}

/** What the room has not heard: devices that are new or differ, and addresses that are no longer in the alert. */
export type News = { changed: readonly DeviceAnswer[]; gone: readonly string[] };

/** The post for what has changed in an alert; where everything is new, the post for the alert. */
export function newsRoomText(alert: AnsweredAlert, { changed, gone }: News, reader: Reader): string {
  const unchanged = alert.answers.length - changed.length;
  return paragraphs(
    alertRoomText({ ...alert, answers: changed, leftOut: unchanged === 0 ? alert.leftOut : 0 }, reader),
    ...(gone.length > 0 ? [WORDS.gone(gone.join(', '))] : []),
    ...sayUnchanged(unchanged, reader.format),
    ...sayNumber(alert.number, changed, undefined),
    ...sayTokensLeftOut(changed, reader.format, String),
  );
}

function sayUnchanged(count: number, format: Format): string[] {
  if (count === 0) return [];
  return [count === 1 ? WORDS.oneUnchanged : WORDS.manyUnchanged(format.number(count))];
}
