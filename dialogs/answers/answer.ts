import type { Delivery } from '../../src/webhook/delivery.ts';
import type { Reader } from '../format/locale.ts';
import type { Message } from '../format/message.ts';
import type { Asking, DeviceAnswer } from './device-answer.ts';
import { sayDelivery } from './fault-words.ts';
import { devicesMessage } from './many-devices.ts';
import { deviceMessage } from './one-device.ts';

/**
 * What the asker is told: one device with all that is known of it, or several with a line each.
 * @param delivery what became of the room's post, if there was one
 * @param notes sentences of ours that stand last
 */
export function answerMessage(
  answers: readonly DeviceAnswer[],
  delivery: Delivery | undefined,
  reader: Reader,
  notes: readonly string[] = [],
): Message {
  const ending = [...(delivery ? [sayDelivery(delivery)] : []), ...notes];
  const [only, ...others] = answers;
  return only !== undefined && others.length === 0
    ? deviceMessage(only, ending, reader)
    : devicesMessage({ answers, waiting: [], isOnTheWay: false, ending, reader });
}

/**
 * What the asker is told while some devices are not answered yet.
 * @param isOnTheWay whether another message will take its place
 */
export function progressMessage(
  asking: Asking,
  reader: Reader,
  { isOnTheWay, notes = [] }: { isOnTheWay: boolean; notes?: readonly string[] },
): Message {
  const answers = asking.answered();
  const waiting = asking.addresses.filter((address) => !answers.some((each) => each.address === address));
  return devicesMessage({ answers, waiting, isOnTheWay, ending: notes, reader });
}
