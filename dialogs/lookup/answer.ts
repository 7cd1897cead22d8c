import type { Delivery } from '../../src/webhook/delivery.ts';
import type { Reader } from '../format/locale.ts';
import { MESSAGE_CHARACTERS, type Message } from '../format/message.ts';
import { headingPart, messageOf, notePart } from '../format/part.ts';
import { sayTokensLeftOut } from './bounded.ts';
import { type Asking, type DeviceAnswer, isPassing } from './device-answer.ts';
import { sayDelivery } from './fault-words.ts';
import { sayHeadline } from './headline.ts';
import { devicesMessage } from './many-devices.ts';
import { deviceMessage } from './one-device.ts';
import type { Shown } from './shown-before.ts';

const WORDS = { again: 'Please look up again in a minute.' };

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
    : devicesMessage({ answers, waiting: [], isOnTheWay: false, ending, reader, shown });
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
  const message = devicesMessage({ answers, waiting, isOnTheWay, ending: notes, reader });
  if (message.text.length <= MESSAGE_CHARACTERS) return message;
  return messageOf([headingPart(sayHeadline(answers, waiting, reader.format)), ...notes.map(notePart)], []);
}

/** What to do if the NAC was down and the bot does not ask it again by itself. */
export function adviseAgain(answers: readonly DeviceAnswer[]): string[] {
  return answers.some(isPassing) ? [WORDS.again] : [];
}
