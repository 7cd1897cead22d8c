import type { Lookup } from '../../src/nac/lookup.ts';
import { endsWithin } from '../../src/time/within.ts';
import { answerMessage } from '../answers/answer.ts';
import { ask, type DeviceAnswer } from '../answers/device-answer.ts';
import { allFields } from '../answers/facts.ts';
import { noAddress } from '../answers/no-address.ts';
import type { Dialog, Limits } from '../dialog.ts';
import { button, card, heading, richText, row, runs } from '../format/card.ts';
import { line, toMarkdown } from '../format/line.ts';
import type { Reader } from '../format/locale.ts';
import { lines, paragraphs } from '../format/markdown.ts';
import type { Message } from '../format/message.ts';
import { conversationOf } from '../format/message.ts';

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
  tooOften: (seconds: string) => `That is more than a minute allows. Please try again in ${seconds} s.`,
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
    async answer({ text, addresses, person, place, arrivedAt, format, say }) {
      const [address] = addresses;
      if (address === undefined) return say(noAddress(text));
      const conversation = conversationOf(place);
      const waitMs = limits.take({ person, conversation }, 1);
      if (waitMs > 0) return say(WORDS.tooOften(format.number(Math.ceil(waitMs / 1000))));
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
        richText(runs(line`${address}`, { fontType: 'Monospace', weight: 'Bolder' }), 'None'),
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
