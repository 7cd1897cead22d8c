import { expect, it } from 'vitest';
import { expectWellFormedCard } from './cards.ts';

const withBody = (...body: unknown[]) => ({ type: 'AdaptiveCard', version: '1.5', body });
const container = (text: unknown) => ({ type: 'Container', items: [{ type: 'TextBlock', text }] });

it.each([
  ['no version', { type: 'AdaptiveCard', body: [] }],
  ['no element type', withBody({ text: 'x' })],
  ['an unknown type', withBody({ type: 'Text' })],
  ['a number as text', withBody(container(1))],
  ['a new property', withBody({ ...container('x'), x: 1 })],
  ['no object', 'card'],
])('a fault of a card is found: %s', (_what, card) => {
  expectWellFormedCard(withBody(container('x')));
  expect(() => expectWellFormedCard(card)).toThrow();
});
