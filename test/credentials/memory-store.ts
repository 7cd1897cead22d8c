import { randomBytes } from 'node:crypto';
import { AccountGuard } from '../../src/credentials/lockout.ts';
import type { SealedStore } from '../../src/credentials/personal-accounts.ts';
import type { Keys } from '../../src/credentials/secret-key.ts';
import { createVault, type VaultParts } from '../../src/credentials.ts';
import { Secret } from '../../src/domain/secret.ts';

export function createMemoryStore(): SealedStore {
  const rows = new Map<string, string>();
  return {
    find: async (owner) => rows.get(owner),
    save: async (owner, sealed) => void rows.set(owner, sealed),
    remove: async (owner) => rows.delete(owner),
  };
}

/** For the only process that uses an account. */
export const sharedWithNobody = () => () => {};

export const createKey = () => new Secret(randomBytes(32).toString('base64'));

/** A vault of the service account and of people, whose sealed credentials are in memory. */
export function createMemoryVault(
  now: () => number,
  { keys = [createKey()], ...parts }: Partial<VaultParts> & { keys?: Keys } = {},
) {
  return createVault({
    settings: {
      nac: { username: 'service', password: new Secret('service') },
      personal: { signIn: true, ttlHours: 8, keys },
    },
    exchanges: {},
    sealed: createMemoryStore(),
    guardOf: (_, account) => new AccountGuard(account, now, sharedWithNobody),
    clock: { now, steady: now },
    log: { warn() {} },
    onError() {},
    ...parts,
  });
}
