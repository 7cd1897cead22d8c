import { describe, expect, it } from 'vitest';
import type { Message } from '../../dialogs/format/message.ts';
import { activityOf, piecesFor } from '../../src/teams/message-activity.ts';

const CARD = { type: 'AdaptiveCard', version: '1.5', body: [] };
const MESSAGE: Message = { text: '`AA:BB:CC:DD:EE:FF`: connected.', card: CARD, summary: 'connected' };

describe('a message with a card', () => {
  it.each(['msteams', 'webchat', 'directline', 'emulator'])('is shown as its card on %s', (channelId) => {
    expect(piecesFor(MESSAGE, channelId)).toEqual([MESSAGE]);
  });

  it.each(['sms', 'slack', 'email', 'MSTEAMS', '', undefined, null, 7])(
    'is said as its text where cards may not be shown: %s',
    (channelId) => {
      expect(piecesFor(MESSAGE, channelId)).toEqual([{ text: MESSAGE.text }]);
    },
  );

  it('is said as its text, in pieces, where the card is too large', () => {
    const line = 'x'.repeat(99);
    const text = Array.from({ length: 500 }, () => line).join('\n');
    const pieces = piecesFor({ ...MESSAGE, text, card: { ...CARD, body: [{ text }] } }, 'msteams');
    expect(pieces.map(({ card }) => card)).toEqual([undefined, undefined]);
    expect(pieces.map(({ text }) => text).join('\n')).toBe(text);
  });

  it('counts the summary with the card', () => {
    const fitting = 40_000 - JSON.stringify(CARD).length;
    expect(piecesFor({ ...MESSAGE, summary: 'x'.repeat(fitting) }, 'msteams')[0]).toHaveProperty('card');
    expect(piecesFor({ ...MESSAGE, summary: 'x'.repeat(fitting + 1) }, 'msteams')[0]).not.toHaveProperty(
      'card',
    );
  });

  it('becomes an activity with the card, and the summary for notifications', () => {
    expect(activityOf(MESSAGE)).toEqual({
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: CARD }],
      summary: 'connected',
    });
  });
});

describe('a message without a card', () => {
  it.each(['msteams', 'sms'])('is said in as many pieces as %s takes', (channelId) => {
    const pieces = piecesFor({ text: 'x'.repeat(70_000) }, channelId);
    expect(pieces.map(({ text }) => text.length)).toEqual([28_000, 28_000, 14_000]);
  });

  it('is split between lines', () => {
    const text = `${'a'.repeat(20_000)}\n${'b'.repeat(20_000)}`;
    expect(piecesFor({ text }, 'msteams')).toEqual([
      { text: 'a'.repeat(20_000) },
      { text: 'b'.repeat(20_000) },
    ]);
  });

  it('becomes an activity whose text is markdown', () => {
    expect(activityOf({ text: '`x`' })).toEqual({ type: 'message', text: '`x`', textFormat: 'markdown' });
  });
});
