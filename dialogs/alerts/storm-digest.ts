import type { Digest } from '../../src/domain/storm.ts';
import { line, toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { headingPart, linesPart, type Message, messageOf, notePart } from '../format/message.ts';
import type { AnsweredAlert } from './alert-answer.ts';
import { alertHeadText } from './alert-head.ts';
import { sayDevices } from './alert-news.ts';

const WORDS = {
  one: '1 more alert',
  many: (count: number) => `${count} more alerts`,
  more: (count: number) => `${count} of them have no line here.`,
};

/** An incident as one line of a digest: its head, then its devices. Plain, with foreign text. */
export function lineOf(alert: AnsweredAlert, format: Format): string {
  const [head = ''] = alertHeadText(alert.details, format).split('\n');
  return `${head} · ${toPlain(sayDevices(alert, format))}`;
}

/** The message that the incidents of a storm share. */
export function digestMessage({ lines, more }: Digest): Message {
  const count = lines.length + more;
  return messageOf(
    [
      headingPart(count === 1 ? WORDS.one : WORDS.many(count)),
      linesPart(lines.map(({ words }) => line`${words}`)),
      ...(more > 0 ? [notePart(WORDS.more(more))] : []),
    ],
    [],
  );
}
