/** A system as last seen: `at`, and so `since` (milliseconds since 1970). A probe asks none. */
export type SystemState =
  | { kind: 'not asked yet' }
  | { kind: 'ok' | 'failing'; at: number; since: number; why?: string | undefined };

export type Seen = Readonly<Record<'nac' | 'webhook' | 'chat', SystemState>>;

const UNSEEN: SystemState = { kind: 'not asked yet' };

export type Health = ReturnType<typeof createHealth>;

/**
 * The state of the bot and of its upstreams. The bot is unready only while it starts and while it stops: replicas share one
 * database and one NAC, so an outage would take every replica from the balancer at once.
 * @param now milliseconds since 1970
 */
export function createHealth(now: () => number) {
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  let refusedPosts = 0;
  let seen: Seen = { nac: UNSEEN, webhook: UNSEEN, chat: UNSEEN };
  return {
    /** @param why the outcome's name */
    note(part: keyof Seen, kind: 'ok' | 'failing', why?: string): void {
      const [at, last] = [now(), seen[part]];
      seen = { ...seen, [part]: { kind, at, since: last.kind === kind ? last.since : at, why } };
    },
    seen: () => seen,
    noteRefusedPost: () => void refusedPosts++,
    refusedPosts: () => refusedPosts,
    /** Which systems have failed since they last answered. */
    failing: () =>
      Object.fromEntries(Object.entries(seen).map(([name, { kind }]) => [name, kind === 'failing'])),
    nacDownSince: () => (seen.nac.kind === 'failing' ? seen.nac.since : undefined),
    /** Makes the bot ready: the database has been opened, or could not be for a while. */
    started(): void {
      if (phase === 'starting') phase = 'running';
    },
    stopping(): void {
      phase = 'stopping';
    },
    isStopping: () => phase === 'stopping',
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
