import { randomBytes } from 'node:crypto';
import type { Keys, SealedStore } from '../../src/credentials/people.ts';
import { createVault, type Vault, type VaultOptions } from '../../src/credentials.ts';
import { Secret } from '../../src/domain/secret.ts';

/** Rows in memory, for tests of the code above the database. */
export function createMemoryStore(now: () => number): SealedStore {
  const rows = new Map<string, { sealed: Uint8Array; until: number }>();
  return {
    async read(owner) {
      const row = rows.get(owner);
      if (row !== undefined && row.until <= now()) rows.delete(owner);
      return rows.get(owner)?.sealed;
    },
    async write(owner, sealed, until) {
      for (const [each, row] of rows) if (row.until <= now()) rows.delete(each);
      rows.set(owner, { sealed, until });
    },
    async reseal(owner, from, to) {
      const row = rows.get(owner);
      if (row !== undefined && Buffer.from(row.sealed).equals(from)) rows.set(owner, { ...row, sealed: to });
    },
    async remove(owner) {
      rows.delete(owner);
    },
  };
}

export const createKey = () => new Secret(randomBytes(32).toString('base64'));

/** A vault of the service account and of people, whose sealed credentials stand in memory. */
export function createMemoryVault(
  now: () => number,
  { keys = [createKey()], ...options }: Partial<VaultOptions> & { keys?: Keys } = {},
): Vault {
  return createVault({
    settings: {
      nac: { username: 'service', password: new Secret('service') },
      personal: { signIn: true, ttlHours: 8, keys },
    },
    exchanges: {},
    sealed: createMemoryStore(now),
    join: undefined,
    clock: { now, steady: now },
    warn() {},
    onError() {},
    ...options,
  });
}
