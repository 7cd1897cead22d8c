import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { acceptAlert, workOnIncident } from '../dialogs/alerts/incident-jobs.ts';
import { reportDeadJob, resumeLookup } from '../dialogs/lookup/jobs.ts';
import { reportNumber } from '../dialogs/lookup/report.ts';
import { endDeadWatches, workOnWatches } from '../dialogs/watch/watches.ts';
import { type AppParts, openParts } from './app/parts.ts';
import { type AppOptions, systemClock, VERSION, warnOfSettings } from './app/start.ts';
import type { Work } from './domain/jobs.ts';
import { settlesWithin, TIMING } from './domain/timing.ts';
import { serveMetrics, urlOf } from './ops/metrics.ts';
import { createServer } from './server.ts';
import type { Settings } from './settings.ts';
import { StoreClosedError } from './store/faults.ts';
import type { JobQueue } from './store/queue.ts';
import type { BackgroundWork } from './store/store.ts';
import { createRows } from './store/tables.ts';
import { QueueWorkers } from './store/workers.ts';
import { createEdits } from './teams/admission.ts';
import { createSigningKeys, createTokenCheck } from './teams/authentication/channel-token.ts';
import { createActivityHandler } from './teams.ts';

/** Quick lookups need no database. */
const READY_WITHOUT_DATABASE_AFTER_MS = 10_000;
/** How often to close idle connections of a bot that stops, which finished turns leave open. */
const CLOSE_IDLE_EVERY_MS = 50;
/** Docker's `stop` kills after 10 s. */
const STOP_WITHIN_MS = 10_000;

export type App = Awaited<ReturnType<typeof createApp>>;

/**
 * The whole bot as a function of its settings: makes the parts, and listens. Several can live in one process.
 * @throws an error for which `startFault` has words, if the port, the folder or the database cannot be used
 */
export async function createApp(
  settings: Settings,
  { log, clock = systemClock, timing = TIMING }: AppOptions,
) {
  warnOfSettings(settings, log);
  const parts = await openParts(settings, { log, clock, timing });
  const { health, metrics, store, rests } = parts.core;
  const server = openServer(settings, parts);
  const ops = settings.ops && (await serveMetrics(metrics, settings.ops, log));
  const close = () => closeInOrder(parts.core, server).finally(() => ops?.close());
  try {
    server.listen(settings.listen.port, settings.listen.host);
    await once(server, 'listening');
  } catch (error) {
    await close();
    throw error;
  }
  const address = server.address() as AddressInfo;
  log.info({ version: VERSION, host: settings.listen.host, port: address.port }, 'listening');

  // Other processes' refusals and pauses count at once.
  const failure = store.open(
    () => startWorkers(parts),
    () => rests.wake(),
  );
  const readyAnyway = setTimeout(health.started, READY_WITHOUT_DATABASE_AFTER_MS).unref();
  return {
    url: urlOf(address),
    /** Where `/metrics` is; undefined: metrics are off, or their port is taken. */
    opsUrl: ops?.url,
    /** Resolves if the database will never open, however long the bot waits: with its lasting fault. */
    failure,
    /** Ends turns and jobs, then connections. Resolves when nothing of the bot is left, within 10 s of the stop's delay. */
    async stop(): Promise<void> {
      clearTimeout(readyAnyway);
      health.stopping();
      await delay(settings.stopDelayMs);
      if (!(await settlesWithin(close(), STOP_WITHIN_MS)))
        log.warn('the bot ends without closing everything: jobs go on from the database');
    },
  };
}

function openServer(settings: Settings, parts: AppParts): Server {
  const { core, bot, messaging } = parts;
  const { chat, permissions, serviceGate } = messaging;
  const { clock, log, health, metrics, store, upstreams } = core;
  const { identity, alertsToken } = settings;
  const handleActivity = createActivityHandler({
    bot,
    chat,
    permissions,
    edits: createEdits(),
    welcomes: createRows(store, 'welcome'),
    isAway: (error) => error instanceof StoreClosedError,
  });
  const source = identity && { upstream: upstreams.keys, metadata: identity.openIdMetadata };
  const keys =
    source && createSigningKeys(source, clock.steady, (fault) => health.note('signing keys', fault));
  void keys?.(''); // Fetched at once: without them nobody is answered. A fault is noted.
  return createServer({
    handleActivity,
    alerts: alertsToken && {
      token: alertsToken,
      accept: (alert) => acceptAlert(alert, bot),
      onError: core.onError,
    },
    readiness: () => ({ ready: health.isReady(), parts: bot.health.parts() }),
    serviceGate,
    checkToken: keys && createTokenCheck(keys, identity.appId, clock.now),
    onRefused: (route, status) => metrics.refusals.inc({ route, status }),
    steady: clock.steady,
    log,
  });
}

/** Starts the work on each queue's jobs, which goes on after a turn and after a restart. From now on the bot is ready. */
function startWorkers({ core, bot, messaging }: AppParts): BackgroundWork[] {
  const { timing, onError, jobs, rests } = core;
  core.health.started();
  const start = <Data extends object | null>(queue: JobQueue<Data>, work: Work<Data>) => {
    const { name } = queue;
    return new QueueWorkers(queue, {
      // A reply's job has no number.
      work: name === 'reply' ? work : (job) => bot.numbers.run(reportNumber(job.key), () => work(job)),
      onDead: (dead) => (name === 'watch' ? endDeadWatches(dead, bot) : reportDeadJob(name, dead, bot)),
      // The NAC is asked for one watched device at a time, and a room that asks for a pause gets one post before it.
      places: name === 'watch' || name === 'post' ? 1 : undefined,
      timing,
      onError,
    });
  };
  return [
    start(jobs.lookup, (job) => resumeLookup(job, bot)),
    start(jobs.post, (job) => bot.room.work(job)),
    start(jobs.reply, (job) => messaging.chat.work(job)),
    start(jobs.alert, (job) => workOnIncident(job, bot)),
    start(jobs.watch, (job) => workOnWatches(job, bot)),
    rests,
  ];
}

/** Turns of 8 s still become jobs; unfinished jobs stay in the database. */
async function closeInOrder({ store, upstreams, timing }: AppParts['core'], server: Server): Promise<void> {
  const turnsEnded = new Promise<void>((resolve) => server.close(() => resolve()));
  const closing = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await Promise.all([
    settlesWithin(turnsEnded, timing.lastTurnsMs),
    settlesWithin(store.endJobs(timing.lastJobsMs), timing.lastJobsMs),
  ]);
  clearInterval(closing);
  await store.close(0);
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
}
