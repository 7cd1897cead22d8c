import type { Secret } from '../text/secret.ts';
import type { Resting } from './cooldown.ts';
import type { ExchangeFault, ExchangeOutcome, IssuedName } from './exchange-outcome.ts';

/** A credential, ready for use, or why there is none. */
export type CredentialOutcome = Held | { kind: 'not configured' } | NotConnected | Resting | ExchangeFault;

/** Times are milliseconds since 1970; without `until` the credential holds as long as its account. */
export type Held = { kind: 'held'; credential: Secret; since: number; until: number | undefined };
export type NotConnected = { kind: 'not connected' };

/** The outcome of a person's sign-in. `until` is milliseconds since 1970. */
export type ConnectReport = {
  kept: boolean;
  until: number;
  exchanges: ReadonlyArray<{ name: IssuedName; outcome: ExchangeOutcome }>;
};
