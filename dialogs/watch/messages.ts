import * as card from '../render/card.ts';
import { type Message, messageOf } from '../render/message.ts';
import { type Line, line, toMarkdown } from '../render/words.ts';

const stopButton = (address: string) => card.button('Stop', 'unwatch', address);

/** A line about each device, with *Stop* where an address is given. */
export function watchesMessage(devices: ReadonlyArray<{ address?: string; said: Line }>): Message {
  const parts = devices.map(({ address, said }) => {
    const stop = address === undefined ? [] : [{ type: 'ActionSet', actions: [stopButton(address)] }];
    return card.linePart(said, [card.richText(card.runs(said)), ...stop]);
  });
  return messageOf([card.joinParts(parts)]);
}

/** An answer about a device that is still watched. */
export function withStop(message: Message, address: string): Message {
  const actions = (message.card?.actions ?? []) as ReadonlyArray<{ data?: { dialog?: unknown } }>;
  const others = actions.filter(({ data }) => data?.dialog !== 'watch');
  return { ...message, card: { ...message.card, actions: [...others, stopButton(address)] } };
}

export function endMessage(address: string, verdict: Line): Message {
  return { text: toMarkdown(line`Stopped watching ${address} after 8 hours. Last: ${verdict}.`) };
}
