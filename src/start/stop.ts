import type { Logger } from 'pino';
import type { Server } from 'restify';
import type { Health } from '../ops/health.ts';
import type { Store } from '../store/store.ts';
import { endsWithin } from '../time/within.ts';
import type { Upstreams } from './upstreams.ts';

/** How long running turns and jobs may take when the bot stops. Unfinished jobs stay in the database. */
const LAST_TURNS_MS = 10_000;
const LAST_JOBS_MS = 5000;

/** How often to close idle connections, which finished turns leave open. */
const CLOSE_IDLE_EVERY_MS = 50;

export type Stoppable = {
  server: Server;
  store: Store;
  health: Health;
  ops: { close(): void } | undefined;
  upstreams: Upstreams;
  log: Logger;
};

/** On SIGTERM or SIGINT, ends turns, then jobs, then connections. A second signal ends the process at once. */
export function stopOnSignals(parts: Stoppable): void {
  let isStopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    parts.log.info({ signal }, 'stopping');
    await closeInOrder(parts);
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
}

async function closeInOrder({ server, store, health, ops, upstreams }: Stoppable): Promise<void> {
  health.stopping();
  const turnsEnded = new Promise<void>((resolve) => server.close(() => resolve()));
  const closing = setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await endsWithin(turnsEnded, LAST_TURNS_MS);
  clearInterval(closing);
  await store.close(LAST_JOBS_MS);
  ops?.close();
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
}
