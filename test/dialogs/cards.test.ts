import { expect, it } from 'vitest';
import { cardFaults } from './cards.ts';

const withBody = (...body: unknown[]) => ({ type: 'AdaptiveCard', version: '1.5', body });
const column = { type: 'Column', items: [{ type: 'TextBlock', text: 1 }] };
const columns = { type: 'ColumnSet', columns: [column], x: 1 };

it.each([
  ['no version', { type: 'AdaptiveCard', body: [] }, "/: must have required property 'version'"],
  ['no element type', withBody({ text: 'x' }), "/body/0: must have required property 'type'"],
  ['an unknown type', withBody({ type: 'Text' }), '/body/0: value of tag "type" must be in oneOf'],
  ['a number as text', withBody(columns), '/body/0/columns/0/items/0/text: must be string'],
  ['a new property', withBody(columns), "/body/0: must NOT have additional properties ('x')"],
  ['no object', 'card', '/: must be object'],
])('a fault of a card is found: %s', (_what, card, fault) => {
  expect(cardFaults(card)).toContain(fault);
});
