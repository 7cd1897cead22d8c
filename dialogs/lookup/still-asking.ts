import { line } from '../format/line.ts';
import type { Reader } from '../format/locale.ts';
import type { Message } from '../format/message.ts';
import { linePart, messageOf } from '../format/part.ts';
import { progressMessage } from './answer.ts';
import type { Asking } from './device-answer.ts';

const WORDS = {
  asking: 'Still asking the NAC; the answer will come here.',
  posting: 'The NAC has answered; I am still posting to the room. The answer will come here.',
};

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
  return messageOf([linePart(said)], []);
}
