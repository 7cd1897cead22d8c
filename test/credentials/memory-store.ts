import { randomBytes } from 'node:crypto';
import { AccountGuard } from '../../src/credentials/lockout.ts';
import { type Keys, type SealedStore, Vault, type VaultParts } from '../../src/credentials.ts';
import { type Account, Secret } from '../../src/domain/secret.ts';

/** Forgets rows by its own clock, as a database does. */
export function createMemoryStore(now: () => number): SealedStore {
  const rows = new Map<string, { sealed: string; until: number }>();
  const live = (owner: string) => [rows.get(owner)].find((row) => row && now() < row.until);
  return {
    find: async (owner) => live(owner)?.sealed,
    save: async (owner, sealed, forMs) => void rows.set(owner, { sealed, until: now() + forMs }),
    remove: async (owner) => rows.delete(owner),
  };
}

/** The guard of the only process that uses an account. */
export const guardOf = (account: Account, now: () => number) =>
  new AccountGuard({ account, now, shared: () => () => {}, by: 'this', spreadMs: 0 });

export const createKey = () => new Secret(randomBytes(32).toString('base64'));

/** A vault of the service account and of people, whose sealed credentials are in memory. */
export function createMemoryVault(
  now: () => number,
  { keys = [createKey()], ...parts }: Partial<VaultParts> & { keys?: Keys } = {},
) {
  return new Vault({
    settings: {
      nac: { username: 'service', password: new Secret('service') },
      personal: { signIn: true, ttlHours: 8, keys },
    },
    exchanges: {},
    sealed: createMemoryStore(now),
    guardOf: (_, account) => guardOf(account, now),
    clock: { now, steady: now },
    log: { warn() {} },
    onError() {},
    ...parts,
  });
}
