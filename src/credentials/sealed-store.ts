/** Where people's sealed credentials are kept: a row an owner. */
export type SealedStore = {
  read(owner: string): Promise<Uint8Array | undefined>;
  /** @param until when the row may be forgotten (milliseconds since 1970) */
  write(owner: string, sealed: Uint8Array, until: number): Promise<void>;
  remove(owner: string): Promise<void>;
};

/** In memory: gone with the process. */
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
    async remove(owner) {
      rows.delete(owner);
    },
  };
}
