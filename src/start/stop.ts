import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Server } from 'restify';
import type { Health } from '../ops/health.ts';
import { endsWithin } from '../time/within.ts';
import type { Database } from './database.ts';
import type { Upstreams } from './upstreams.ts';

/** The whole stop, after the delay: Docker's `stop` kills after 10 s. */
const STOP_WITHIN_MS = 10_000;

/** How long running turns and jobs may take. A turn of 8 s still becomes a job; unfinished jobs stay in the database. */
const LAST_TURNS_MS = 8500;
const LAST_JOBS_MS = 5000;

/** How often to close idle connections, which finished turns leave open. */
const CLOSE_IDLE_EVERY_MS = 50;

/** Under `npm start`, Ctrl+C comes twice: from the terminal, and from npm. */
const SAME_SIGNAL_MS = 500;

export type Stoppable = {
  server: Server;
  database: Pick<Database, 'store'>;
  health: Health;
  ops: { close(): void } | undefined;
  upstreams: Upstreams;
  /** How long the listener stays open while `/readyz` already says that the bot stops. */
  stopDelayMs: number;
  log: Logger;
};

/**
 * On SIGTERM or SIGINT, ends turns and jobs, then connections, and the process with 0. A second signal ends the process at
 * once, with 1.
 */
export function stopOnSignals(parts: Stoppable): void {
  const { log } = parts;
  let toldAt: number | undefined;
  const stop = async (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (toldAt !== undefined && now - toldAt < SAME_SIGNAL_MS) return;
    if (toldAt !== undefined) {
      log.warn({ signal }, WORDS.atOnce);
      process.exit(1);
    }
    toldAt = now;
    log.info({ signal, delayMs: parts.stopDelayMs }, 'stopping');
    await stopInOrder(parts);
    log.info({ ms: Math.round(performance.now() - now) }, 'stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
}

const WORDS = {
  atOnce:
    'a second signal ends the bot at once: jobs go on from the database, and the chat service sends unanswered messages again',
  late: 'the bot ends without closing everything: jobs go on from the database',
};

async function stopInOrder(parts: Stoppable): Promise<void> {
  const { health, stopDelayMs, log } = parts;
  health.stopping();
  await delay(stopDelayMs);
  if (!(await endsWithin(closeInOrder(parts), STOP_WITHIN_MS))) log.warn(WORDS.late);
}

async function closeInOrder({ server, database, ops, upstreams }: Stoppable): Promise<void> {
  const { store } = database;
  const turnsEnded = new Promise<void>((resolve) => server.close(() => resolve()));
  const closing = setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await Promise.all([
    endsWithin(turnsEnded, LAST_TURNS_MS),
    endsWithin(store.endJobs(LAST_JOBS_MS), LAST_JOBS_MS),
  ]);
  clearInterval(closing);
  await store.close(0);
  ops?.close();
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
}
