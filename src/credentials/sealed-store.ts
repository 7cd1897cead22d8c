/** Where people's sealed credentials are kept: a row an owner. */
export type SealedStore = {
  read(owner: string): Promise<Uint8Array | undefined>;
  /** @param until when the row may be forgotten (milliseconds since 1970) */
  write(owner: string, sealed: Uint8Array, until: number): Promise<void>;
  remove(owner: string): Promise<void>;
};
