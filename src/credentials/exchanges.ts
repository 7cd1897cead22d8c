import type { Upstream } from '../http.ts';
import { createAuthorize } from './authorize.ts';
import type { Exchange, IssuedName } from './exchange-outcome.ts';
import { createTicket } from './ticket.ts';

/** Where the exchanges are; either can be missing. */
export type ExchangeAddresses = {
  authorize: { url: URL; sdkPrefix: string } | undefined;
  ticket: { url: URL } | undefined;
};

/** The exchanges that are configured, by what they issue. */
export function createExchanges(
  { authorize, ticket }: ExchangeAddresses,
  upstreams: { authorize: Upstream; ticket: Upstream },
  now: () => number,
): Partial<Record<IssuedName, Exchange>> {
  return {
    ...(authorize && {
      'API key': createAuthorize({
        upstream: upstreams.authorize,
        base: authorize.url,
        sdkPrefix: authorize.sdkPrefix,
        now,
      }),
    }),
    ...(ticket && { ticket: createTicket({ upstream: upstreams.ticket, base: ticket.url, now }) }),
  };
}
