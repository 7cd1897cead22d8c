import type { MacAddress } from '../mac-address.ts';
import type { SessionCall } from './session-call.ts';
import type { SessionOutcome } from './session-outcome.ts';
import { createTurns } from './turns.ts';

/** Looks one device up for a person (any id that tells people apart). */
export type Lookup = (address: MacAddress, person: string) => Promise<SessionOutcome>;

/**
 * Stands in front of the NAC, which is slow and fragile: lookups of one address that are under way at the same time
 * share one call, and at most `concurrency` calls run at once.
 */
export function guardLookups(call: SessionCall, { concurrency }: { concurrency: number }): Lookup {
  const takeTurn = createTurns(concurrency);
  const inFlight = new Map<MacAddress, Promise<SessionOutcome>>();

  return (address, person) => {
    const shared = inFlight.get(address);
    if (shared) return shared;
    const lookup = takeTurn(person, () => call(address)).finally(() => inFlight.delete(address));
    inFlight.set(address, lookup);
    return lookup;
  };
}
