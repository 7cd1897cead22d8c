/** An upstream as last seen; nobody is asked for the sake of a probe. */
export type UpstreamState = 'not asked yet' | 'ok' | 'failing';

export type Parts = { database: string; nac: UpstreamState; webhook: UpstreamState };

/** What the bot knows of its own state and its upstreams'. An upstream's outage does not make the bot unready. */
export type Health = {
  note(part: 'nac' | 'webhook', state: UpstreamState): void;
  /** From now on not ready, for it is about to stop. */
  stopping(): void;
  report(): { ready: boolean; parts: Parts };
};

export function createHealth(): Health {
  let ready = true;
  const parts: Parts = { database: 'not used', nac: 'not asked yet', webhook: 'not asked yet' };
  return {
    note(part, state) {
      parts[part] = state;
    },
    stopping() {
      ready = false;
    },
    report: () => ({ ready, parts: { ...parts } }),
  };
}
