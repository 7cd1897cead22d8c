import { readFields } from '../../src/nac/reading/session.ts';
import { renderAnswer } from './answer.ts';
import { firstLine } from './describe.ts';
import { accountText, type DeviceAnswer, nameOf } from './device.ts';
import * as card from './message.ts';
import { type Formatter, line, shorten } from './words.ts';

const WORDS = {
  title: 'All fields from the NAC',
  again: 'Look up again',
  left: (count: number) => `Fields that are left out here, because there are too many: ${count}.`,
};

/** The most of fields in a card. The rest is left out, because an oversized card would be lost. A session has about forty. */
const [MAX_FIELDS, MAX_CHARACTERS] = [100, 10_000];

/** Every field of the first device's session; the ordinary answer if it has no session. @param notes our sentences at its end */
export function fieldsMessage(
  answers: readonly DeviceAnswer[],
  formatter: Formatter,
  notes: readonly string[] = [],
): card.Message {
  const [first] = answers;
  if (first?.outcome.kind !== 'found') return renderAnswer(answers, undefined, formatter, notes);
  const all = readFields(first.outcome.text);
  const shown = all.slice(0, MAX_FIELDS).map(([name, value]) => [shorten(name), shorten(value)] as const);
  let size = 0;
  const fields = shown.filter(([name, value]) => {
    size += name.length + value.length;
    return size <= MAX_CHARACTERS;
  });
  const left = all.length - fields.length;
  const items = fields.map(([name, value]) => card.row(line`${name}`, line`${value}`));
  const parts: card.Part[] = [
    {
      text: [firstLine(nameOf(first), [WORDS.title])],
      elements: [card.heading(WORDS.title), card.richText(card.addressRuns(first), 'None')],
    },
    {
      text: fields.map(([name, value]) => line`${name}: ${value}`),
      summary: [],
      elements: [{ type: 'Container', spacing: 'Medium', items }],
    },
    ...(left > 0 ? [{ ...card.notePart(WORDS.left(left)), summary: [] }] : []),
    ...[...accountText(answers), ...notes].map(card.notePart),
  ];
  const again = card.button(WORDS.again, 'lookup', first.asked);
  return card.messageOf(parts, [again, ...card.nacButton(first, formatter)]);
}
