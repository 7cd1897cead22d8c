/** An upstream as last seen; a probe asks no upstream. */
type UpstreamState = 'not asked yet' | 'ok' | 'failing';

export type Seen = { nac: UpstreamState; webhook: UpstreamState };
export type Readiness = { ready: boolean; parts: { database: string } & Seen };

/** What the bot knows about itself and its upstreams. An upstream's outage does not make the bot unready. */
export type Health = {
  note(part: keyof Seen, state: UpstreamState): void;
  seen(): Seen;
  /** Makes the bot unready, because it is about to stop. */
  stopping(): void;
  /** @param database `ok`, or what is wrong with it */
  report(database: string): Readiness;
};

export function createHealth(): Health {
  let isStopping = false;
  const seen: Seen = { nac: 'not asked yet', webhook: 'not asked yet' };
  return {
    note(part, state) {
      seen[part] = state;
    },
    seen: () => ({ ...seen }),
    stopping() {
      isStopping = true;
    },
    report: (database) => ({ ready: database === 'ok' && !isStopping, parts: { database, ...seen } }),
  };
}
