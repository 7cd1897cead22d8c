import { button, type Element } from '../format/card.ts';

/** The address in our examples; it is locally administered, so no maker has given it to a device. */
export const EXAMPLE = 'AA:BB:CC:DD:EE:FF';

/** A button that looks up the example, so that a newcomer sees an answer. */
export function exampleButton(): Element {
  return button('Try an example', 'lookup', EXAMPLE);
}
