import { takePiece } from '../domain/split-text.ts';
import { targetUnder, type Upstream } from '../http.ts';
import { ADAPTERS, type WebhookAddress } from './address.ts';
import { type PostFault, readPostOutcome } from './post-outcome.ts';

/** @property left the part of the text that the room has not taken, to be sent again */
type SendOutcome = { kind: 'posted' } | (PostFault & { left: string });

/** Posts a text to the room and returns the outcome. */
export type PostToRoom = (text: string) => Promise<SendOutcome>;

/** @property address where the room is now; it may change while the bot runs */
export type SenderOptions = { upstream: Upstream; address: () => WebhookAddress };

/**
 * The one sender for both forms. Splits a text longer than the room takes between lines, and sends the posts in order.
 * Stops at the first post that fails, and returns its outcome with the text that is left.
 */
export function createSender({ upstream, address }: SenderOptions): PostToRoom {
  return async (text) => {
    const { base, form, token } = address();
    const adapter = ADAPTERS[form];
    let left = text;
    do {
      const { piece, left: after } = takePiece(left, adapter.maxCharacters);
      const outcome = await upstream.call({
        method: 'POST',
        url: targetUnder(base, adapter.path(token.reveal())),
        headers: { 'content-type': 'application/json' },
        body: adapter.body(piece),
      });
      const verdict = readPostOutcome(outcome);
      if (verdict.kind !== 'posted') return { ...verdict, left };
      left = after;
    } while (left !== '');
    return { kind: 'posted' };
  };
}
