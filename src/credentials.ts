import type { Account } from './credentials/exchange-outcome.ts';
import { createExchanges } from './credentials/exchanges.ts';
import { createPeople, type PeopleOptions } from './credentials/people.ts';
import { createSeal, type Keys } from './credentials/seal.ts';
import { createVault, type Vault, type VaultOptions } from './credentials/vault.ts';
import type { Clock } from './domain/timing.ts';
import type { Upstream } from './http.ts';

export type CredentialsOptions = {
  settings: {
    nac: Account;
    authorize: (Account & { url: URL; sdkPrefix: string }) | undefined;
    ticket: (Account & { url: URL }) | undefined;
    personal: { signIn: boolean; ttlHours: number; keys: Keys | undefined };
  };
  upstreams: { authorize: Upstream; ticket: Upstream };
  /** Where people's sealed credentials are kept. */
  sealed: PeopleOptions['store'];
  /** The way to other processes' refusals; undefined: there are no others. */
  join: VaultOptions['join'];
  clock: Clock;
  warn(message: string): void;
  /** Told if kept credentials cannot be read. */
  onError(error: unknown): void;
};

/** Opens the configured credentials; personal ones only if people may connect. */
export function openVault(options: CredentialsOptions): Vault {
  const { settings, upstreams, sealed, join, clock, warn, onError } = options;
  const { nac, authorize, ticket, personal } = settings;
  const { now, steady } = clock;
  const people =
    personal.signIn && personal.keys
      ? createPeople({ seal: createSeal(personal.keys), store: sealed, now, warn, onError })
      : undefined;
  return createVault({
    service: {
      basic: { username: nac.username, password: nac.password },
      ...(authorize && { 'API key': authorize }),
      ...(ticket && { ticket }),
    },
    exchanges: createExchanges({ authorize, ticket }, upstreams, now),
    people,
    personalTtlMs: Math.round(personal.ttlHours * 3_600_000),
    now,
    steady,
    join,
    warn,
  });
}
