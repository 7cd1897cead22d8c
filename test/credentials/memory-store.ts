import { randomBytes } from 'node:crypto';
import { createPeople, type People, type SealedStore } from '../../src/credentials/people.ts';
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

/** People whose sealed credentials stand in memory. */
export function createMemoryPeople(now: () => number, store: Partial<SealedStore> = {}): People {
  const keys = [new Secret(randomBytes(32).toString('base64'))] as const;
  const rows = { ...createMemoryStore(now), ...store };
  return createPeople({ keys, store: rows, now, warn: () => {}, onError: () => {} });
}
