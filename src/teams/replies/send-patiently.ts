import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../../domain/timing.ts';
import { DeliveryError } from './connector.ts';

/** What became of a reply: taken, impossible for ever (the conversation is gone), or refused until the time was over. */
export type ReplyOutcome<Response> =
  | { kind: 'sent'; response: Response }
  | { kind: 'gone'; error: DeliveryError }
  | { kind: 'refused'; error: DeliveryError };

const BACKOFF = { firstMs: 300, mostMs: 4000 };

/** Sends a reply, and again while the channel refuses it in a passing way and there is time (until, by the clock `now`). */
export async function sendPatiently<Response>(
  send: () => Promise<Response>,
  until: number,
  now: () => number,
): Promise<ReplyOutcome<Response>> {
  for (let attempt = 0; ; attempt++) {
    try {
      return { kind: 'sent', response: await send() };
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      if (error.isGone) return { kind: 'gone', error };
      const waitMs = Math.max(error.retryAfterMs, backoffMs(attempt, BACKOFF));
      if (!isPassing(error) || now() + waitMs > until) return { kind: 'refused', error };
      await delay(waitMs);
    }
  }
}

/** Too many messages, a conflict of the conversation (412), an expired token, a fault of the channel, or no answer at all. */
function isPassing({ reason }: DeliveryError): boolean {
  return typeof reason === 'string' || [401, 412, 429].includes(reason) || reason >= 500;
}
