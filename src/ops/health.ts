/** A system as last seen: `at`, and so `since` (milliseconds since 1970). A probe asks none. */
export type SystemState = { kind: 'not asked yet' } | { kind: 'ok' | 'failing'; at: number; since: number };

export type Seen = Readonly<Record<'nac' | 'webhook' | 'chat', SystemState>>;

const UNSEEN: SystemState = { kind: 'not asked yet' };

export type Health = ReturnType<typeof createHealth>;

/**
 * What the bot knows about itself and its upstreams. It is unready only while it starts and while it stops. All replicas share
 * one database and one NAC: an outage would take every replica from the balancer at once.
 * @param now milliseconds since 1970
 */
export function createHealth(now: () => number) {
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  let seen: Seen = { nac: UNSEEN, webhook: UNSEEN, chat: UNSEEN };
  return {
    note(part: keyof Seen, kind: 'ok' | 'failing'): void {
      const [at, last] = [now(), seen[part]];
      seen = { ...seen, [part]: { kind, at, since: last.kind === kind ? last.since : at } };
    },
    seen: () => seen,
    /** Makes the bot ready: the database has been opened, or could not be for a while. */
    started(): void {
      if (phase === 'starting') phase = 'running';
    },
    /** Makes the bot unready, because it is about to stop. */
    stopping(): void {
      phase = 'stopping';
    },
    /** @param database `ok`, or what is wrong with it. @param isNacResting whether the service account rests, by any process */
    report: (database: string, isNacResting: boolean) => ({
      ready: phase === 'running',
      parts: {
        database,
        nac: isNacResting ? 'failing' : seen.nac.kind,
        webhook: seen.webhook.kind,
        chat: seen.chat.kind,
      },
    }),
  };
}
