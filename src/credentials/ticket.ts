import { targetUnder, type Upstream } from '../http.ts';
import { type Exchange, endOf, firstText, type JsonObject, readExchangeOutcome } from './exchange-outcome.ts';

export type TicketOptions = { upstream: Upstream; base: URL; now: () => number };

/** Endpoint 2: `POST {base}/api/v1/ticket` with `{"username","password"}` returns a service ticket. */
export function createTicket({ upstream, base, now }: TicketOptions): Exchange {
  return async ({ username, password }) => {
    const outcome = await upstream.call({
      method: 'POST',
      url: targetUnder(base, '/api/v1/ticket'),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: password.reveal() }),
    });
    return readExchangeOutcome(outcome, (objects) => ({
      credential: firstText(objects, ['serviceTicket', 'ticket']),
      until: endOf(now() + (lifetimeMs(objects) ?? Number.NaN), now()),
    }));
  };
}

/** The shorter of `idleTimeout` and `sessionTimeout` (seconds), because nothing here keeps a ticket from idling. */
function lifetimeMs(objects: readonly JsonObject[]): number | undefined {
  const seconds = objects
    .flatMap(({ idleTimeout, sessionTimeout }) => [idleTimeout, sessionTimeout])
    .filter((value) => typeof value === 'number' && value > 0);
  return seconds.length > 0 ? Math.min(...(seconds as number[])) * 1000 : undefined;
}
