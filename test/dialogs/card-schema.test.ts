import { describe, expect, it } from 'vitest';
import { connectMessage } from '../../dialogs/commands/connect.ts';
import { cardFaults } from './card-schema.ts';

const withBody = (...body: unknown[]) => ({ type: 'AdaptiveCard', version: '1.5', body });

describe('cardFaults', () => {
  it('finds none in the card for user name and password', () => {
    const { card } = connectMessage(
      { issuedAt: 1, proof: 'x' },
      { nacHost: 'nac.example.com', ttlHours: 8, already: '15 Jan 2026' },
    );
    expect(card).toBeDefined();
    expect(cardFaults(card)).toEqual([]);
  });

  it.each([
    ['no version', { type: 'AdaptiveCard', body: [] }, "/: must have required property 'version'"],
    ['no element type', withBody({ text: 'x' }), "/body/0: must have required property 'type'"],
    ['an unknown type', withBody({ type: 'Text' }), '/body/0: value of tag "type" must be in oneOf'],
    ['a number as text', withBody({ type: 'TextBlock', text: 1 }), '/body/0/text: must be string'],
    ['no object', 'card', '/: must be object'],
  ])('finds %s', (_what, card, fault) => {
    expect(cardFaults(card)).toContain(fault);
  });

  it('names the deepest fault first', () => {
    const column = { type: 'Column', items: [{ type: 'TextBlock', text: 1 }] };
    const card = withBody({ type: 'ColumnSet', columns: [column], colour: 'Good' });
    expect(cardFaults(card)).toEqual([
      '/body/0/columns/0/items/0/text: must be string',
      "/body/0: must NOT have additional properties ('colour')",
    ]);
  });
});
