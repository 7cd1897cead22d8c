import type { Dialog, Services } from '../dialog.ts';
import type { Format } from '../format/locale.ts';
import type { Message } from '../format/message.ts';
import { fieldsMessage } from '../lookup/answer.ts';
import { tooOften } from '../lookup/bounds.ts';
import { ask, type DeviceAnswer } from '../lookup/device-answer.ts';
import { noAddress } from '../lookup/no-address.ts';
import { type Audited, answersInTime, auditAnswers, reportNumber } from '../lookup/report.ts';

const WORDS = { late: 'The NAC has not answered yet. Please try again in a moment.' };

/** Shows every field of a device's session; an ordinary answer has no room for them. Posts nothing. */
export function createFields(services: Services): Dialog {
  const { lookUp, limits, timing } = services;
  return {
    name: 'fields',
    summary: 'shows all that the NAC says of a device',
    examples: ['fields AA:BB:CC:DD:EE:FF', 'fields 198.51.100.23'],
    details: ['Takes one MAC address or IP address. Asks the NAC anew, and posts nothing to the room.'],
    takesAddresses: () => true,
    takesIpAddresses: true,
    async answer({ text, addresses, person, key, place, arrivedAt, format, say }) {
      const [address] = addresses;
      if (address === undefined) return say(noAddress(text));
      const waitMs = limits.take(person, 1);
      if (waitMs > 0) return say(tooOften(waitMs, format));
      const { all } = ask([address], person, lookUp);
      const lookup = { number: reportNumber(key), by: 'fields', person, place, askedAt: arrivedAt } as const;
      const answers = await answersInTime(all, arrivedAt + timing.turnMs, lookup, format, services);
      await say(answers ? tellFields(answers, lookup, format, services) : WORDS.late);
    },
  };
}

/** Writes the audit lines, and returns the message with every field. */
export function tellFields(
  answers: readonly DeviceAnswer[],
  lookup: Omit<Audited, 'answeredAt'>,
  format: Format,
  { audit, nacLink, now }: Services,
): Message {
  const reader = { format, now: now(), nacLink };
  auditAnswers(audit, { ...lookup, answeredAt: reader.now }, answers, format);
  return fieldsMessage(answers, lookup.number, reader);
}
