import type { Resting } from '../domain/outcome.ts';
import type { Secret } from '../domain/secret.ts';
import type { ExchangeFault, ExchangeOutcome, IssuedName } from './exchange-outcome.ts';
import type { NotTried } from './sign-ins.ts';

/** A credential, ready for use, or why there is none. */
export type CredentialOutcome = Held | { kind: 'not configured' } | NotConnected | Resting | ExchangeFault;

/** Times are milliseconds since 1970; without `until` the credential holds as long as its account. */
export type Held = { kind: 'held'; credential: Secret; since: number; until: number | undefined };
/**
 * `refused`: the person's account was refused and forgotten a moment ago. `unknown`: people's accounts cannot be read now, so
 * the person may be connected.
 */
export type NotConnected = { kind: 'not connected'; refused?: true; unknown?: true };

/** The outcome of a person's sign-in. `until` is milliseconds since 1970. */
export type ConnectReport = {
  kept: boolean;
  until: number;
  exchanges: ReadonlyArray<{ name: IssuedName; outcome: ExchangeOutcome }>;
  /** Why no system was asked; undefined if the account was tried. */
  notTried?: NotTried;
};
