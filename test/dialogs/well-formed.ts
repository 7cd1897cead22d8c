import { expect } from 'vitest';
import type { Message } from '../../dialogs/format/message.ts';
import { cardFaults } from './card-schema.ts';

/** Throws unless a message has a text, and its card, if any, is valid and has a summary. */
export function expectWellFormed({ text, card, summary = '' }: Message): void {
  expect(text.trim()).not.toBe('');
  if (card === undefined) return;
  expectWellFormedCard(card);
  expect(summary.trim()).not.toBe('');
}

/** Throws unless a card is valid. */
export function expectWellFormedCard(card: unknown): void {
  expect(card).toMatchObject({ type: 'AdaptiveCard', version: '1.5' });
  expect(cardFaults(card)).toEqual([]);
}
