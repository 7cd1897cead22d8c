/** An upstream as last seen; a probe asks no upstream. */
type UpstreamState = 'not asked yet' | 'ok' | 'failing';

export type Seen = { nac: UpstreamState; webhook: UpstreamState; chat: UpstreamState };
export type Readiness = { ready: boolean; parts: { database: string } & Seen };

/**
 * What the bot knows about itself and its upstreams. It is unready only while it starts and while it stops. All replicas share
 * one database and one NAC: an outage would take every replica from the balancer at once.
 */
export type Health = {
  note(part: keyof Seen, state: UpstreamState): void;
  seen(): Seen;
  /** Makes the bot ready: the database has been opened, or could not be for a while. */
  started(): void;
  /** Makes the bot unready, because it is about to stop. */
  stopping(): void;
  /**
   * @param database `ok`, or what is wrong with it
   * @param isNacResting whether the service account rests; another process may have been refused
   */
  report(database: string, isNacResting: boolean): Readiness;
};

export function createHealth(): Health {
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  const seen: Seen = { nac: 'not asked yet', webhook: 'not asked yet', chat: 'not asked yet' };
  return {
    note(part, state) {
      seen[part] = state;
    },
    seen: () => ({ ...seen }),
    started() {
      if (phase === 'starting') phase = 'running';
    },
    stopping() {
      phase = 'stopping';
    },
    report: (database, isNacResting) => ({
      ready: phase === 'running',
      parts: { database, ...seen, ...(isNacResting && { nac: 'failing' as const }) },
    }),
  };
}
