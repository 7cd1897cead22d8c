import { targetUnder, type Upstream } from '../http.ts';
import { takePiece } from '../text/split-text.ts';
import { ADAPTERS, type WebhookAddress } from './address.ts';
import { type PostFault, readPostOutcome } from './post-outcome.ts';

/** @property left what the room has not taken of the text: all that is to be sent again */
type SendOutcome = { kind: 'posted' } | (PostFault & { left: string });

/** Posts a text to the room and tells what became of it. */
export type PostToRoom = (text: string) => Promise<SendOutcome>;

/** @property address where the room is now; it may change while the bot runs */
export type SenderOptions = { upstream: Upstream; address: () => WebhookAddress };

/**
 * The one sender for both forms. A text longer than the room takes goes in several posts, in order, split between
 * lines; the first that fails ends it, and its outcome is that of all that is left.
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
