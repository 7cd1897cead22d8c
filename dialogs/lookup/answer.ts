import { readFields } from '../../src/domain/record.ts';
import type { Delivery } from '../../src/webhook/delivery.ts';
import { button, heading, richText, row } from '../format/card.ts';
import { line, shorten, toMarkdown, toPlain } from '../format/line.ts';
import type { Format, Reader } from '../format/locale.ts';
import {
  headingPart,
  linePart,
  MESSAGE_CHARACTERS,
  type Message,
  messageOf,
  notePart,
  type Part,
} from '../format/message.ts';
import { firstWithin, sayTokensLeftOut } from './bounds.ts';
import {
  type Asking,
  countTokens,
  type DeviceAnswer,
  isPassing,
  nameOf,
  sayAccount,
  sayNumber,
  tokensOf,
} from './device-answer.ts';
import type { Shown } from './difference.ts';
import { devicesMessage } from './many-devices.ts';
import { addressLine, deviceMessage, nacButton } from './one-device.ts';
import { sayHeadline } from './triage.ts';
import { sayDelivery } from './verdict.ts';

const WORDS = {
  again: 'Please look up again in a minute.',
  asking: 'Still asking the NAC; the answer will come here.',
  posting: 'The NAC has answered; I am still posting to the room. The answer will come here.',
  title: 'All fields from the NAC',
  lookUpAgain: 'Look up again',
  left: (count: string) => `Fields that are left out here, because there are too many: ${count}.`,
};

/**
 * The answer for the asker: everything about one device, or a line for each of several.
 * @param delivery what became of the room's post, if there was one
 * @param notes our sentences at the end, without foreign text
 * @param shown lets a press of "Look up again" edit the message
 */
export function answerMessage(
  answers: readonly DeviceAnswer[],
  delivery: Delivery | undefined,
  reader: Reader,
  notes: readonly string[] = [],
  shown?: Shown,
): Message {
  const ending = [
    ...(delivery ? [sayDelivery(delivery)] : []),
    ...notes,
    ...sayTokensLeftOut(answers, reader.format),
  ];
  const [only, ...others] = answers;
  return only !== undefined && others.length === 0
    ? deviceMessage(only, ending, reader, shown)
    : devicesMessage(answers, [], ending, reader, { shown });
}

/**
 * The answer while some devices are not answered yet: one message. If the devices do not fit, their count alone is said.
 * @param isOnTheWay whether another message will replace this one
 */
export function progressMessage(
  asking: Asking,
  reader: Reader,
  { isOnTheWay, notes = [] }: { isOnTheWay: boolean; notes?: readonly string[] },
): Message {
  const answers = asking.answered();
  const waiting = asking.addresses.filter((address) => !answers.some(({ asked }) => asked === address));
  const message = devicesMessage(answers, waiting, notes, reader, { isOnTheWay });
  if (message.text.length <= MESSAGE_CHARACTERS) return message;
  return messageOf([headingPart(sayHeadline(answers, waiting, reader.format)), ...notes.map(notePart)]);
}

/** What to do if the NAC was down and the bot does not ask it again by itself. */
export function adviseAgain(answers: readonly DeviceAnswer[]): string[] {
  return answers.some(isPassing) ? [WORDS.again] : [];
}

/**
 * Says that a lookup is under way, and names its devices. Another message replaces this one.
 * @param isKept whether the answer comes even if this process dies
 */
export function stillAsking(asking: Asking, reader: Reader, { isKept }: { isKept: boolean }): Message {
  const isAsking = asking.answered().length < asking.addresses.length;
  const [only, ...others] = asking.addresses;
  if (only === undefined || others.length > 0) {
    const notes = isKept ? [isAsking ? WORDS.asking : WORDS.posting] : [];
    return progressMessage(asking, reader, { isOnTheWay: true, notes });
  }
  const promise = isKept ? ' The answer will come here.' : '';
  const said = isAsking
    ? line`Still asking the NAC about ${only}.${[promise]}`
    : line`The NAC has answered about ${only}; I am still posting to the room.${[promise]}`;
  return messageOf([linePart(said)]);
}

/** The post for the room: each device with tokens, its address and each token literally on a line of its own. */
export function roomText(answers: readonly DeviceAnswer[], format: Format): string | undefined {
  const blocks = answers
    .filter((answer) => countTokens(answer) > 0)
    .map((answer) => [answer.address, ...tokensOf(answer)].join('\n'));
  return blocks.length > 0
    ? [...blocks, ...sayTokensLeftOut(answers, format, String)].join('\n\n')
    : undefined;
}

/** The most characters of fields in a card. The rest is left out, because an oversized card would be lost. */
const MAX_FIELD_CHARACTERS = 10_000;

/** Every field of the first device's session; the ordinary answer if it has no session. @param number the lookup's */
export function fieldsMessage(answers: readonly DeviceAnswer[], number: number, reader: Reader): Message {
  const [first] = answers;
  if (first?.outcome.kind !== 'found') {
    const notes = [...adviseAgain(answers), ...sayNumber(number, answers, undefined)];
    return answerMessage(answers, undefined, reader, notes);
  }
  const all = readFields(first.outcome.text).map(
    ({ name, value }) => [shorten(name), shorten(value)] as const,
  );
  const fields = firstWithin(all, MAX_FIELD_CHARACTERS, ([name, value]) => name.length + value.length);
  const left = all.length - fields.length;
  const opening = line`${nameOf(first)}: ${[WORDS.title, sayAccount(first)]}.`;
  const items = fields.map(([name, value]) => row(line`${name}`, line`${value}`));
  const parts: Part[] = [
    {
      text: [toMarkdown(opening)],
      summary: [toPlain(opening)],
      elements: [heading(WORDS.title), richText(addressLine(first), 'None')],
    },
    {
      text: fields.map(([name, value]) => toMarkdown(line`${name}: ${value}`)),
      summary: [],
      elements: [{ type: 'Container', spacing: 'Medium', items }],
    },
    ...(left > 0 ? [{ ...notePart(WORDS.left(reader.format.number(left))), summary: [] }] : []),
  ];
  const again = button(WORDS.lookUpAgain, 'lookup', first.asked);
  return messageOf(parts, [again, ...nacButton(first, reader)]);
}
