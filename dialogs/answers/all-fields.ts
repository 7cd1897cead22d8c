import { type Field, readFields } from '../../src/nac/fields.ts';
import { button, card, heading, richText, row } from '../format/card.ts';
import { line, toMarkdown, toPlain } from '../format/line.ts';
import type { Reader } from '../format/locale.ts';
import { lines, paragraphs, shorten } from '../format/markdown.ts';
import type { Message } from '../format/message.ts';
import { addressLine } from './address-line.ts';
import { adviseAgain, answerMessage } from './answer.ts';
import { type DeviceAnswer, nameOf, sayAccount } from './device-answer.ts';
import { nacButton } from './nac-link.ts';
import { sayNumber } from './report-number.ts';

const WORDS = {
  title: 'All fields from the NAC',
  again: 'Look up again',
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
  const fields = shownFields(first.outcome.text);
  return {
    text: paragraphs(
      toMarkdown(line`${nameOf(first)}: ${[WORDS.title, sayAccount(first)]}.`),
      lines(...fields.map(({ name, value }) => toMarkdown(line`${name}: ${value}`))),
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
      ],
      [button(WORDS.again, 'lookup', asked), ...nacButton(first, reader)],
    ),
  };
}

/** The NAC's fields under their own names, up to the limit. @param answer the NAC's raw answer */
function shownFields(answer: string): Field[] {
  const shown: Field[] = [];
  let left = MAX_FIELD_CHARACTERS;
  for (const field of readFields(answer)) {
    const [name, value] = [shorten(field.name), shorten(field.value)];
    left -= name.length + value.length;
    if (left < 0) break;
    shown.push({ name, value });
  }
  return shown;
}
