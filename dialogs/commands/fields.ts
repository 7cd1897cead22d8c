import type { Lookup } from '../../src/domain/outcome.ts';
import { endsWithin } from '../../src/domain/timing.ts';
import type { Audit } from '../../src/ops/audit.ts';
import type { Dialog, Limits } from '../dialog.ts';
import { fieldsMessage } from '../lookup/answer.ts';
import { auditAnswers } from '../lookup/audit-answers.ts';
import { tooOften } from '../lookup/bounds.ts';
import { ask } from '../lookup/device-answer.ts';
import { noAddress } from '../lookup/no-address.ts';
import { reportNumber } from '../lookup/report-number.ts';

export type FieldsOptions = {
  lookUp: Lookup;
  audit: Audit;
  limits: Pick<Limits, 'take'>;
  /** How long a turn may take (milliseconds), counted from the message's arrival. */
  turnMs: number;
  /** The NAC's own page for a device; undefined: cards have no link to it. */
  nacLink: string | undefined;
  now: () => number;
  onError(error: unknown): void;
};

const WORDS = {
  late: 'The NAC has not answered yet. Please try again in a moment.',
};

/** Shows every field of a device's session; an ordinary answer has no room for them. Posts nothing. */
export function createFields(options: FieldsOptions): Dialog {
  const { lookUp, audit, limits, turnMs, nacLink, now, onError } = options;
  return {
    name: 'fields',
    summary: 'shows all that the NAC says of a device',
    examples: ['fields AA:BB:CC:DD:EE:FF', 'fields 198.51.100.23'],
    details: ['Takes one MAC address or IP address. Asks the NAC anew, and posts nothing to the room.'],
    takesAddresses: true,
    takesIpAddresses: true,
    async answer({ text, addresses, person, key, place, arrivedAt, format, say }) {
      const [address] = addresses;
      if (address === undefined) return say(noAddress(text));
      const waitMs = limits.take(person, 1);
      if (waitMs > 0) return say(tooOften(waitMs, format));
      const { all } = ask([address], person, lookUp);
      const number = reportNumber(key);
      const lookup = { number, by: 'fields', person, place, askedAt: arrivedAt } as const;
      if (!(await endsWithin(all, arrivedAt + turnMs - now()))) {
        all
          .then((late) => auditAnswers(audit, { ...lookup, answeredAt: undefined }, late, format))
          .catch(onError);
        return say(WORDS.late);
      }
      const answers = await all;
      const reader = { format, now: now(), nacLink };
      auditAnswers(audit, { ...lookup, answeredAt: reader.now }, answers, format);
      return say(fieldsMessage(answers, number, reader));
    },
  };
}
