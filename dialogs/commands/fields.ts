import { settlesWithin } from '../../src/domain/timing.ts';
import { readFields } from '../../src/nac/reading/texts.ts';
import { auditOnceAnswered, startLookups } from '../lookup/device-lookups.ts';
import { tooOften } from '../lookup/question.ts';
import { adviseAgain, renderAnswer } from '../render/answer.ts';
import { firstLine } from '../render/describe.ts';
import type { DeviceAnswer } from '../render/device.ts';
import * as device from '../render/device.ts';
import * as card from '../render/message.ts';
import { type Message, messageOf, nacButton } from '../render/message.ts';
import { type Formatter, line, shorten } from '../render/words.ts';
import type { Command } from './command.ts';

const WORDS = {
  late: 'The NAC has not answered yet. Please try again in a moment.',
  title: 'All fields from the NAC',
  again: 'Look up again',
  left: (count: number) => `Fields that are left out here, because there are too many: ${count}.`,
};

export const fields: Command = {
  name: 'fields',
  summary: 'shows all that the NAC says of a device',
  examples: ['fields AA:BB:CC:DD:EE:FF', 'fields 198.51.100.23'],
  details: ['Takes one MAC address or IP address. Asks the NAC again, and posts nothing to the room.'],
  async answer(turn, bot) {
    const { addresses, notes, person, number, place, begunAt, formatter, say } = turn;
    const { nac, limits, recent, clock, timing } = bot;
    const [address] = addresses;
    if (address === undefined) return; // The choice of the command asks for one.
    const waitMs = limits.take(person, 1);
    if (waitMs > 0) return say(tooOften(waitMs));
    const lookups = startLookups([address], person, nac.lookUp);
    auditOnceAnswered(lookups, { ...turn, by: 'fields' }, bot);
    const isInTime = await settlesWithin(lookups.finished, begunAt + timing.turnMs - clock.steady());
    if (!isInTime) return say(WORDS.late);
    const answers = await lookups.finished;
    recent.note(place, answers, clock.now()); // "again" and "and :08?" mean this device.
    await say(fieldsMessage(answers, number, formatter, notes));
  },
};

/** The most of fields in a card. The rest is left out, because an oversized card would be lost. A session has about forty. */
const [MAX_FIELDS, MAX_CHARACTERS] = [100, 10_000];

/** Every field of the first device's session; the ordinary answer if it has no session. @param number the lookup's */
export function fieldsMessage(
  answers: readonly DeviceAnswer[],
  number: number,
  formatter: Formatter,
  extra: readonly string[] = [],
): Message {
  const [first] = answers;
  if (first?.outcome.kind !== 'found') {
    const notes = [...extra, ...adviseAgain(answers), ...device.numberText(number, answers, undefined)];
    return renderAnswer(answers, undefined, formatter, notes);
  }
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
      text: [firstLine(device.nameOf(first), [WORDS.title])],
      elements: [card.heading(WORDS.title), card.richText(card.addressRuns(first), 'None')],
    },
    {
      text: fields.map(([name, value]) => line`${name}: ${value}`),
      summary: [],
      elements: [{ type: 'Container', spacing: 'Medium', items }],
    },
    ...(left > 0 ? [{ ...card.notePart(WORDS.left(left)), summary: [] }] : []),
    ...[...device.accountText(answers), ...extra].map(card.notePart),
  ];
  const again = card.button(WORDS.again, 'lookup', first.asked);
  return messageOf(parts, [again, ...nacButton(first, formatter)]);
}
