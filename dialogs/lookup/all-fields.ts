import { type Field, readFields } from '../../src/domain/fields.ts';
import { button, card, heading, note, richText, row } from '../format/card.ts';
import { line, toMarkdown, toPlain } from '../format/line.ts';
import type { Reader } from '../format/locale.ts';
import { lines, paragraphs, shorten } from '../format/markdown.ts';
import type { Message } from '../format/message.ts';
import { adviseAgain, answerMessage } from './answer.ts';
import { type DeviceAnswer, nameOf, sayAccount } from './device-answer.ts';
import { addressLine, nacButton } from './one-device.ts';
import { sayNumber } from './report-number.ts';

const WORDS = {
  title: 'All fields from the NAC',
  again: 'Look up again',
  left: (count: string) => `Fields that are left out here, because there are too many: ${count}.`,
};

/** The most characters of fields in a card. The rest is left out, because an oversized card would be lost. */
const MAX_FIELD_CHARACTERS = 10_000;

/** Every field of the first device's session; the ordinary answer if it has no session. @param number the lookup's */
export function fieldsMessage(answers: readonly DeviceAnswer[], number: number, reader: Reader): Message {
  const [first] = answers;
  if (first?.outcome.kind !== 'found') {
    const notes = [...adviseAgain(answers), ...sayNumber(number, answers, undefined)];
    return answerMessage(answers, undefined, reader, notes);
  }
  const { asked } = first;
  const all = readFields(first.outcome.text);
  const fields = firstFields(all);
  const left = all.length - fields.length;
  const notes = left > 0 ? [WORDS.left(reader.format.number(left))] : [];
  return {
    text: paragraphs(
      toMarkdown(line`${nameOf(first)}: ${[WORDS.title, sayAccount(first)]}.`),
      lines(...fields.map(({ name, value }) => toMarkdown(line`${name}: ${value}`))),
      ...notes,
    ),
    summary: toPlain(line`${nameOf(first)}: ${[WORDS.title, sayAccount(first)]}.`),
    card: card(
      [
        heading(WORDS.title),
        richText(addressLine(first), 'None'),
        {
          type: 'Container',
          spacing: 'Medium',
          items: fields.map(({ name, value }) => row([{ foreign: name }], [{ foreign: value }])),
        },
        ...notes.map(note),
      ],
      [button(WORDS.again, 'lookup', asked), ...nacButton(first, reader)],
    ),
  };
}

/** The NAC's first fields under their own names, up to the limit. */
function firstFields(all: readonly Field[]): Field[] {
  const shown: Field[] = [];
  let left = MAX_FIELD_CHARACTERS;
  for (const field of all) {
    const [name, value] = [shorten(field.name), shorten(field.value)];
    left -= name.length + value.length;
    if (left < 0) break;
    shown.push({ name, value });
  }
  return shown;
}
