import type { Lookup } from '../../src/nac/lookup.ts';
import { endsWithin } from '../../src/time/within.ts';
import { fieldsMessage } from '../answers/all-fields.ts';
import { ask } from '../answers/device-answer.ts';
import { noAddress } from '../answers/no-address.ts';
import { tooOften } from '../answers/over-limit.ts';
import type { Dialog, Limits } from '../dialog.ts';

export type FieldsOptions = {
  lookUp: Lookup;
  limits: Pick<Limits, 'take'>;
  /** How long a turn may take (milliseconds), counted from the message's arrival. */
  turnMs: number;
  /** The NAC's own page for a device; undefined: cards have no link to it. */
  nacLink: string | undefined;
  now: () => number;
};

const WORDS = {
  late: 'The NAC has not answered yet. Please try again in a moment.',
};

/** Shows every field of a device's session; an ordinary answer has no room for them. Posts nothing. */
export function createFields({ lookUp, limits, turnMs, nacLink, now }: FieldsOptions): Dialog {
  return {
    name: 'fields',
    summary: 'shows all that the NAC says of a device',
    examples: ['fields AA:BB:CC:DD:EE:FF', 'fields 198.51.100.23'],
    details: ['Takes one MAC address or IP address. Asks the NAC anew, and posts nothing to the room.'],
    takesAddresses: true,
    takesIpAddresses: true,
    async answer({ text, addresses, person, arrivedAt, format, say }) {
      const [address] = addresses;
      if (address === undefined) return say(noAddress(text));
      const waitMs = limits.take(person, 1);
      if (waitMs > 0) return say(tooOften(waitMs, format));
      const { all } = ask([address], person, lookUp);
      if (!(await endsWithin(all, arrivedAt + turnMs - now()))) return say(WORDS.late);
      return say(fieldsMessage(await all, { format, now: now(), nacLink }));
    },
  };
}
