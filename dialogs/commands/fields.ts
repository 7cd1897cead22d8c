import type { Lookup } from '../../src/nac/lookup.ts';
import { endsWithin } from '../../src/time/within.ts';
import { answerMessage } from '../answers/answer.ts';
import { ask, type DeviceAnswer } from '../answers/device-answer.ts';
import { allFields } from '../answers/facts.ts';
import { noAddress } from '../answers/no-address.ts';
import { tooOften } from '../answers/over-limit.ts';
import type { Dialog, Limits } from '../dialog.ts';
import { addressRuns, button, card, heading, richText, row } from '../format/card.ts';
import { line, toMarkdown } from '../format/line.ts';
import type { Reader } from '../format/locale.ts';
import { lines, paragraphs } from '../format/markdown.ts';
import type { Message } from '../format/message.ts';

export type FieldsOptions = {
  lookUp: Lookup;
  limits: Pick<Limits, 'take'>;
  /** When a turn is over, counted from the message's arrival. */
  turnMs: number;
  now: () => number;
};

const WORDS = {
  title: 'All that the NAC said',
  again: 'Look up again',
  late: 'The NAC takes long to answer. Please try again in a moment.',
};

/** Shows every field of a device's session, which would be too much for each answer. Nothing is posted. */
export function createFields({ lookUp, limits, turnMs, now }: FieldsOptions): Dialog {
  return {
    name: 'fields',
    summary: 'shows all that the NAC says of a device',
    examples: ['fields AA:BB:CC:DD:EE:FF'],
    details: ['Takes one MAC address. Asks the NAC anew, and posts nothing to the room.'],
    takesAddresses: true,
    async answer({ text, addresses, person, arrivedAt, format, say }) {
      const [address] = addresses;
      if (address === undefined) return say(noAddress(text));
      const waitMs = limits.take(person, 1);
      if (waitMs > 0) return say(tooOften(waitMs, format));
      const { all } = ask([address], person, lookUp);
      if (!(await endsWithin(all, arrivedAt + turnMs - now()))) return say(WORDS.late);
      return say(fieldsMessage(await all, { format, now: now() }));
    },
  };
}

/** Every field of the first device's session; where it has none, the ordinary answer. */
export function fieldsMessage(answers: readonly DeviceAnswer[], reader: Reader): Message {
  const [first] = answers;
  if (first?.outcome.kind !== 'found') return answerMessage(answers, undefined, reader);
  const { address } = first;
  const fields = allFields(first.outcome.text);
  return {
    text: paragraphs(
      toMarkdown(line`${address}: ${[WORDS.title]}.`),
      lines(...fields.map(({ name, value }) => toMarkdown(line`${name}: ${value}`))),
    ),
    summary: `${address}: ${WORDS.title}.`,
    card: card(
      [
        heading(WORDS.title),
        richText(addressRuns(address), 'None'),
        {
          type: 'Container',
          spacing: 'Medium',
          items: fields.map(({ name, value }) => row([{ foreign: name }], [{ foreign: value }])),
        },
      ],
      [button(WORDS.again, 'lookup', address)],
    ),
  };
}
