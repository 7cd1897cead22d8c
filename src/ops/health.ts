/** A system as last seen; a probe asks none. Times are milliseconds since 1970. */
export type SystemState =
  | { kind: 'not asked yet' }
  /** `at`: when it was seen last; `since`: since when it is so. */
  | { kind: 'ok' | 'failing'; at: number; since: number };

export type Seen = Readonly<Record<'nac' | 'webhook' | 'chat', SystemState>>;
export type Readiness = {
  ready: boolean;
  parts: { database: string } & Record<keyof Seen, SystemState['kind']>;
};

/**
 * What the bot knows about itself and its upstreams. It is unready only while it starts and while it stops. All replicas share
 * one database and one NAC: an outage would take every replica from the balancer at once.
 */
export type Health = {
  note(part: keyof Seen, kind: 'ok' | 'failing'): void;
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

const UNSEEN: SystemState = { kind: 'not asked yet' };

/** @param now milliseconds since 1970 */
export function createHealth(now: () => number): Health {
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  let seen: Seen = { nac: UNSEEN, webhook: UNSEEN, chat: UNSEEN };
  return {
    note(part, kind) {
      const [at, last] = [now(), seen[part]];
      seen = { ...seen, [part]: { kind, at, since: last.kind === kind ? last.since : at } };
    },
    seen: () => seen,
    started() {
      if (phase === 'starting') phase = 'running';
    },
    stopping() {
      phase = 'stopping';
    },
    report: (database, isNacResting) => ({
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
