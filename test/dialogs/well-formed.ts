import { expect } from 'vitest';
import type { Message } from '../../dialogs/format/message.ts';
import { cardFaults } from './card-schema.ts';

/** Throws where a message could not be shown as it should be: it has a text, and a card is valid, with a summary beside it. */
export function expectWellFormed({ text, card, summary = '' }: Message): void {
  expect(text.trim()).not.toBe('');
  if (card === undefined) return;
  expectWellFormedCard(card);
  expect(summary.trim()).not.toBe('');
}

/** The same of a card that stands by itself. */
export function expectWellFormedCard(card: unknown): void {
  expect(card).toMatchObject({ type: 'AdaptiveCard', version: '1.5' });
  expect(cardFaults(card)).toEqual([]);
}
