import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Server } from 'restify';
import { openConversations } from '../dialogs/conversations.ts';
import { systemClock } from './app/clock.ts';
import { openDatabase } from './app/database.ts';
import { openUpstreams, tlsModes, warnOfTls } from './app/upstreams.ts';
import { createFormProof, FORM_LIFETIME_MS } from './credentials/form-proof.ts';
import { createLockoutGuard } from './credentials/lockout-guard.ts';
import { openVault } from './credentials.ts';
import { type Clock, endsWithin, TIMING, type Timing } from './domain/timing.ts';
import { openNac } from './nac.ts';
import { createAudit } from './ops/audit.ts';
import { createHealth } from './ops/health.ts';
import { createMetrics, serveMetrics, urlOf } from './ops/metrics.ts';
import {
  type Observers,
  observeLookups,
  observePosts,
  observeProxy,
  observeReplies,
  observeTokens,
} from './ops/observe.ts';
import { createServer } from './server.ts';
import type { Settings } from './settings.ts';
import { isAway, logFault } from './store/faults.ts';
import { serverTlsOf } from './store/postgres.ts';
import { createSealedCredentials } from './store/tables.ts';
import { createAppTokens, type Identity, sayTokenFault } from './teams/authentication/app-tokens.ts';
import { createTokenCheck } from './teams/authentication/channel-token.ts';
import { createSigningKeys } from './teams/authentication/signing-keys.ts';
import { createConnector } from './teams/connector.ts';
import { createAlertLimit, createLimits } from './teams/limits.ts';
import { createPermissions } from './teams/permissions.ts';
import { type Chat, createBot, createChat } from './teams.ts';
import { createDelivery } from './webhook/delivery.ts';
import { createSender } from './webhook/sender.ts';

/** Quick lookups need no database. */
const READY_WITHOUT_DATABASE_AFTER_MS = 10_000;

/** How often to close idle connections of a bot that stops, which finished turns leave open. */
const CLOSE_IDLE_EVERY_MS = 50;

/** Docker's `stop` kills after 10 s. */
const STOP_WITHIN_MS = 10_000;

export type AppOptions = { log: Logger; clock?: Clock; timing?: Timing };

/** A running bot. */
export type App = {
  /** Where it listens. */
  url: string;
  /** Where `/metrics` is; undefined: metrics are off, or their port is taken. */
  opsUrl: string | undefined;
  /** Resolves if the database will never open, however long the bot waits: a `LastingFaultError`. */
  failure: Promise<Error>;
  /** Ends turns and jobs, then connections. Resolves when nothing of the bot is left, within 10 s of the stop's delay. */
  stop(): Promise<void>;
};

/**
 * The whole bot as a function of its settings: puts the rooms together, and listens. Several can live in one process.
 * @throws FolderInUseError, LastingFaultError, or the system's error if the port or the folder cannot be used
 */
export async function createApp(
  settings: Settings,
  { log, clock = systemClock, timing = TIMING }: AppOptions,
): Promise<App> {
  warnOfTls(settings, log);
  const parts = await openParts(settings, { log, clock, timing });
  const { health, database, metrics } = parts;
  const ops = settings.ops && (await serveMetrics(metrics, settings.ops, log));
  const server = openServer(parts);
  const close = () => closeInOrder({ ...parts, server, ops });
  try {
    server.listen(settings.listen.port, settings.listen.host);
    await once(server, 'listening'); // restify re-emits `error` on this object; without a listener it would crash the process.
  } catch (error) {
    await close();
    throw error;
  }
  const address = server.address() as AddressInfo;
  log.info({ version: readVersion(), host: settings.listen.host, port: address.port }, 'listening');
  log.flush(); // A supervisor or test may wait for this line.

  database.store.open();
  const readyAnyway = setTimeout(health.started, READY_WITHOUT_DATABASE_AFTER_MS).unref();
  return {
    url: urlOf(address),
    opsUrl: ops?.url,
    failure: database.failure,
    async stop() {
      clearTimeout(readyAnyway);
      health.stopping();
      await delay(settings.stopDelayMs);
      if (!(await endsWithin(close(), STOP_WITHIN_MS)))
        log.warn('the bot ends without closing everything: jobs go on from the database');
    },
  };
}

/** The rooms that others are made of. */
type Parts = Awaited<ReturnType<typeof openParts>>;

/** @throws FolderInUseError, LastingFaultError */
async function openParts(settings: Settings, { log, clock, timing }: Required<AppOptions>) {
  const tellFault = (error: unknown, what: string) => logFault(log, error, what);
  const onError = (error: unknown) => tellFault(error, 'a background task failed');
  const health = createHealth(clock.now);
  const onOpened = health.started;
  const database = await openDatabase(settings.database, { onOpened, clock, timing, log, onError });
  const upstreams = openUpstreams(settings, (name) => observeProxy(name, log));
  const { store, refusals } = database;
  const vault = openVault({
    settings,
    upstreams,
    sealed: createSealedCredentials(store, clock.now),
    join: refusals?.of,
    clock,
    warn: (message) => log.warn(message),
    onError: (error) => tellFault(error, 'kept credentials could not be read'),
  });
  const { username, password } = settings.nac;
  const join = refusals?.of('NAC', username);
  const lockout = createLockoutGuard({ password, now: clock.steady, join });
  const nac = openNac({ settings: settings.nac, upstreams, vault, lockout, steady: clock.steady, log });
  const metrics = createMetrics({
    version: readVersion(),
    isDatabaseUp: () => store.state() === 'ok',
    nac: nac.counts,
    isPaused: () => nac.pausedUntil() !== undefined,
    isResting: () => nac.restsUntil() !== undefined,
    jobs: database.counts,
  });
  store.onCommit(metrics.commit);
  const told = { log, logFault: tellFault, onError, health, metrics };
  return { settings, clock, timing, ...told, database, upstreams, vault, nac };
}

/** The chat side and the routes. Employs the workers of the queues. */
function openServer(parts: Parts): Server {
  const { settings, clock, timing, log, logFault, health, metrics, database, upstreams, nac } = parts;
  const { identity, serviceHosts, alertsToken } = settings;
  const { queues } = database;
  const observers: Observers = { health, metrics, log, steady: clock.steady };
  const tokens =
    identity &&
    createAppTokens(identity, upstreams.authority, clock.now, observeTokens(sayTokenFault, observers));
  tokens?.get().catch(() => {}); // A wrong secret is told before the first reply needs a token.
  const chat = createChat({
    connector: createConnector({
      channel: upstreams.channel,
      serviceHosts,
      tokens,
      onOutcome: observeReplies(observers),
      log,
    }),
    queue: queues.reply,
    now: clock.now,
    timing,
    log,
    isAway,
    logFault,
  });
  const limits = createLimits(clock.steady, metrics.limited);
  const { dialogs, extension, supersede, acceptAlert, workers } = converse(parts, chat, limits, observers);
  database.employ(workers);
  const bot = createBot({
    chat,
    dialogs,
    extension,
    limits,
    supersede,
    isJob: queues.lookup.has,
    autoreplies: database.autoreplies,
    welcomes: database.welcomes,
    permissions: createPermissions(settings.allowed, clock.now),
    clock,
    log,
    logFault,
  });
  return createServer({
    bot,
    alerts: alertsToken && {
      token: alertsToken,
      take: createAlertLimit(clock.steady),
      accept: acceptAlert,
      onError: (error) => logFault(error, 'an alert could not be stored'),
    },
    ready: () => health.report(database.store.state(), nac.restsUntil() !== undefined),
    serviceHosts,
    checkToken:
      identity && createTokenCheck({ keys: keysOf(identity, parts), appId: identity.appId, now: clock.now }),
    onRefused: metrics.refused,
    loopbackOnly: identity === undefined,
    log,
  });
}

/** The keys that sign the channel's tokens. */
function keysOf({ openIdMetadata: metadata }: Identity, { upstreams, clock, log }: Parts) {
  const words = "the channel's signing keys cannot be fetched anew: the known ones serve for five days";
  const onFault = (err: unknown) => log.warn({ err }, words);
  return createSigningKeys({ upstream: upstreams.keys, metadata, now: clock.now, onFault });
}

/** The dialogs, with what they need of the other rooms. */
function converse(
  parts: Parts,
  { replies }: Chat,
  limits: ReturnType<typeof createLimits>,
  observers: Observers,
) {
  const { settings, log, clock, timing, onError, health, database, upstreams, vault, nac } = parts;
  const { now } = clock;
  const { personal, webhook } = settings;
  const sender = createSender({ upstream: upstreams.webhook, address: webhook.address });
  const post = observePosts(sender, observers);
  return openConversations({
    ...database,
    lookUp: observeLookups(nac.lookUp, observers),
    history: nac.history,
    ...createDelivery({ post, queue: database.queues.post, now, onError, backoff: timing.posts }),
    ...replies,
    retryReply: replies.retry,
    vault,
    status: {
      tls: tlsModes(settings),
      databaseTls: serverTlsOf(settings.database),
      seen: health.seen,
      database: database.store.state,
      nacRestsUntil: async () => nac.restsUntil(),
      nacPausedUntil: nac.pausedUntil,
      signIn: personal.signIn,
    },
    connect: {
      proof: personal.signIn && personal.keys ? createFormProof(personal.keys, now) : undefined,
      formLifetimeMs: FORM_LIFETIME_MS,
      nacHost: settings.nac.addresses.map(({ host }) => host).join(' or '),
      ttlHours: personal.ttlHours,
    },
    alerts: { areAlertsOn: settings.alertsToken !== undefined, publicUrl: settings.publicUrl },
    nacLink: settings.nac.link,
    limits,
    audit: settings.audit ? createAudit(log) : () => {},
    warn: (name, reason) => log.error({ queue: name, reason }, 'a job was given up'),
    now,
    timing,
    onError,
  });
}

/** The release, as the package says it. */
function readVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return String(JSON.parse(readFileSync(file, 'utf8')).version);
}

type Closing = Parts & { server: Server; ops: { close(): void } | undefined };

/** Turns of 8 s still become jobs; unfinished jobs stay in the database. */
async function closeInOrder({ server, database, ops, upstreams, timing }: Closing): Promise<void> {
  const { store } = database;
  const turnsEnded = new Promise<void>((resolve) => server.close(() => resolve()));
  const closing = setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await Promise.all([
    endsWithin(turnsEnded, timing.lastTurnsMs),
    endsWithin(store.endJobs(timing.lastJobsMs), timing.lastJobsMs),
  ]);
  clearInterval(closing);
  await store.close(0);
  ops?.close();
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
}
