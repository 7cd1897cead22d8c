import type { Logger } from 'pino';
import { createExchanges } from '../credentials/exchanges.ts';
import { createPeople } from '../credentials/people.ts';
import { createSeal } from '../credentials/seal.ts';
import { createVault, type Vault } from '../credentials/vault.ts';
import type { Settings } from '../settings.ts';
import { logFault } from '../store/away.ts';
import { createSealedCredentials } from '../store/tables.ts';
import { steadyNow } from '../time/steady.ts';
import type { Database } from './database.ts';
import type { Upstreams } from './upstreams.ts';

/** Opens the configured credentials; personal ones only if people may connect. */
export function openVault(
  { nac, authorize, ticket, personal }: Settings,
  upstreams: Upstreams,
  { store, refusals }: Pick<Database, 'store' | 'refusals'>,
  log: Logger,
): Vault {
  const now = Date.now;
  const people =
    personal.signIn && personal.keys
      ? createPeople({
          seal: createSeal(personal.keys),
          store: createSealedCredentials(store),
          now,
          warn: (message) => log.warn(message),
          onError: (error) => logFault(log, error, 'kept credentials could not be read'),
        })
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
    steady: steadyNow,
    join: refusals?.of,
    warn: (message) => log.warn(message),
  });
}
