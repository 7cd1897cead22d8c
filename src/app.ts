import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from 'restify';
import { openConversations } from '../dialogs/conversations.ts';
import { createReaders } from '../dialogs/format/words.ts';
import { openDatabase } from './app/database.ts';
import { type AppOptions, systemClock } from './app/start.ts';
import { openUpstreams, tlsModes, warnOfSettings } from './app/upstreams.ts';
import { createExchanges } from './credentials/exchanges.ts';
import { createFormProof } from './credentials/secret-key.ts';
import { createLockoutGuard, createVault } from './credentials.ts';
import { type Account, basicAuthorization } from './domain/secret.ts';
import { endsWithin, TIMING } from './domain/timing.ts';
import { createServiceGate } from './http.ts';
import { createEndpoints } from './nac/endpoints.ts';
import { openNac } from './nac.ts';
import {
  createHealth,
  observeEndpoints,
  observeLookups,
  observePosts,
  observeProxy,
  observeReplies,
  observeTokens,
} from './ops/health.ts';
import { createAudit, withNumber } from './ops/log.ts';
import { createMetrics, serveMetrics, urlOf } from './ops/metrics.ts';
import { createServer } from './server.ts';
import type { Settings } from './settings.ts';
import { isAway, logFault } from './store/faults.ts';
import { serverTlsOf } from './store/postgres.ts';
import { createRows } from './store/tables.ts';
import { createConnector } from './teams/adapter.ts';
import { createLimits, createPermissions } from './teams/admission.ts';
import { createAppTokens, sayTokenFault } from './teams/authentication/app-tokens.ts';
import * as channel from './teams/authentication/channel-token.ts';
import { type Chat, createBot, createChat } from './teams.ts';
import { createDelivery, createSender } from './webhook/delivery.ts';

/** Quick lookups need no database. */
const READY_WITHOUT_DATABASE_AFTER_MS = 10_000;
/** How often to close idle connections of a bot that stops, which finished turns leave open. */
const CLOSE_IDLE_EVERY_MS = 50;
/** Docker's `stop` kills after 10 s. */
const STOP_WITHIN_MS = 10_000;

export type App = Awaited<ReturnType<typeof createApp>>;

/**
 * The whole bot as a function of its settings: puts the rooms together, and listens. Several can live in one process.
 * @throws LastingFaultError, or the system's error if the port or the folder cannot be used
 */
export async function createApp(
  settings: Settings,
  { log, clock = systemClock, timing = TIMING }: AppOptions,
) {
  warnOfSettings(settings, log);
  const parts = await openParts(settings, { log, clock, timing });
  const { health, database, metrics } = parts;
  const ops = settings.ops && (await serveMetrics(metrics, settings.ops, log));
  const { server, workers } = openServer(parts);
  const close = () => closeInOrder(parts, server).finally(() => ops?.close());
  try {
    server.listen(settings.listen.port, settings.listen.host);
    await once(server, 'listening'); // restify re-emits `error` on this object; without a listener it would crash the process.
  } catch (error) {
    await close();
    throw error;
  }
  const address = server.address() as AddressInfo;
  log.info({ version: VERSION, host: settings.listen.host, port: address.port }, 'listening');

  /** Resolves if the database will never open, however long the bot waits: a `LastingFaultError`. */
  const failure: Promise<Error> = database.open(workers, health.started);
  const readyAnyway = setTimeout(health.started, READY_WITHOUT_DATABASE_AFTER_MS).unref();
  return {
    url: urlOf(address),
    /** Where `/metrics` is; undefined: metrics are off, or their port is taken. */
    opsUrl: ops?.url,
    failure,
    /** Ends turns and jobs, then connections. Resolves when nothing of the bot is left, within 10 s of the stop's delay. */
    async stop(): Promise<void> {
      clearTimeout(readyAnyway);
      health.stopping();
      await delay(settings.stopDelayMs);
      if (!(await endsWithin(close(), STOP_WITHIN_MS)))
        log.warn('the bot ends without closing everything: jobs go on from the database');
    },
  };
}

/** The rooms that others are made of, and what observes them. */
type Parts = Awaited<ReturnType<typeof openParts>>;

/** @throws LastingFaultError */
async function openParts(settings: Settings, { log, clock, timing }: Required<AppOptions>) {
  const { now, steady } = clock;
  const tellFault = (error: unknown, what: string) => logFault(log, error, what);
  const onError = (error: unknown) => tellFault(error, 'a background task failed');
  const health = createHealth(now);
  const onCommit = (ms: number) => metrics.commit(ms);
  const database = await openDatabase(settings.database, { onCommit, onError, clock, timing, log });
  const upstreams = openUpstreams(settings, (name) => observeProxy(name, log));
  const { store, refusals } = database;
  const vault = createVault({
    settings,
    exchanges: createExchanges(settings, upstreams, now),
    sealed: createRows(store, 'sealed credential'),
    askNac: (account, person) => nac.tryAccount(basicAuthorization(account), person),
    join: refusals.of,
    clock,
    warn: (message) => log.warn(message),
    onError: (error) => tellFault(error, 'kept credentials could not be read'),
  });
  const guard = (name: string, account: Account) =>
    createLockoutGuard(account, steady, refusals.of(name, account.username));
  const lockout = guard('NAC', settings.nac);
  const nac = openNac({ settings: settings.nac, upstreams, vault, lockout, steady, log });
  const { endpoints } = settings;
  const findEndpoint =
    endpoints &&
    createEndpoints({
      upstream: upstreams.endpoints,
      url: endpoints.url,
      authorization: () => basicAuthorization(endpoints),
      lockout: guard('administration node', endpoints),
      onEnd: observeEndpoints(log),
      now: steady,
    });
  const late = { seesNobody: () => false }; // Known once the dialogs are there.
  const metrics = createMetrics({
    version: VERSION,
    isDatabaseUp: () => store.state() === 'ok',
    nac: nac.counts,
    isPaused: () => nac.pausedUntil() !== undefined,
    isResting: () => nac.restsUntil() !== undefined,
    seesNobody: () => late.seesNobody(),
    failing: health.failing,
    jobs: database.counts,
  });
  const readerOf = createReaders({ now, steady, nacLink: settings.nac.link, downSince: health.nacDownSince });
  const told = { log, logFault: tellFault, onError, health, metrics, readerOf };
  return { settings, clock, ...clock, timing, ...told, database, upstreams, vault, nac, findEndpoint, late };
}

/** The chat side and the routes, and the workers of the queues. */
function openServer(parts: Parts) {
  const { settings, now, steady, log, logFault, health, metrics, database, upstreams, nac } = parts;
  const { identity, serviceHosts, alertsToken, allowed } = settings;
  const tokens =
    identity && createAppTokens(identity, upstreams.authority, now, observeTokens(sayTokenFault, parts));
  tokens?.get().catch(() => {}); // A wrong secret is told before the first reply needs a token.
  const onOutcome = observeReplies(parts);
  const serviceGate = createServiceGate(serviceHosts);
  const connector = createConnector({ channel: upstreams.channel, serviceGate, tokens, onOutcome, log });
  const chat = createChat({ ...parts, connector, queue: database.queues.reply, isAway });
  const limits = createLimits(steady, metrics.limited);
  const { acceptAlert, workers, seesNobody, ...conversations } = converse(parts, chat, limits);
  parts.late.seesNobody = seesNobody;
  const bot = createBot({
    ...parts,
    ...database,
    ...conversations,
    chat,
    limits,
    isJob: async (key) => (await database.queues.lookup.progress(key)) !== 'none',
    withNumber,
    permissions: createPermissions(allowed, now, connector.senderTenant),
  });
  const server = createServer({
    bot,
    alerts: alertsToken && {
      token: alertsToken,
      accept: acceptAlert,
      onError: (error) => logFault(error, 'an alert could not be stored'),
    },
    ready: () => health.report(database.store.state(), nac.restsUntil() !== undefined),
    serviceGate,
    checkToken:
      identity && channel.createTokenCheck(openKeys(identity.openIdMetadata, parts), identity.appId, now),
    onRefused: metrics.refused,
    loopbackOnly: identity === undefined,
    log,
  });
  return { server, workers };
}

/** The keys that sign the channel's tokens. */
function openKeys(metadata = channel.BOT_FRAMEWORK_METADATA, { upstreams, now, log }: Parts) {
  const words = "the channel's signing keys cannot be fetched anew: the known ones serve for five days";
  const onFault = (err: unknown) => log.warn({ err }, words);
  return channel.createSigningKeys({ upstream: upstreams.keys, metadata }, now, onFault);
}

/** The dialogs, with what they need of the other rooms. */
function converse(parts: Parts, { replies }: Chat, limits: ReturnType<typeof createLimits>) {
  const { settings, log, now, steady, health, database, upstreams, nac } = parts;
  const { personal, webhook } = settings;
  const post = observePosts(createSender({ ...webhook, upstream: upstreams.webhook, now: steady }), parts);
  return openConversations({
    ...parts,
    ...database,
    lookUp: observeLookups(nac.lookUp, parts),
    history: nac.history,
    ...createDelivery({ ...parts, post, queue: database.queues.post }),
    ...replies,
    retryReply: replies.retry,
    tls: tlsModes(settings),
    databaseTls: serverTlsOf(settings.database),
    seen: health.seen,
    database: database.store.state,
    nacRestsUntil: nac.restsUntil,
    nacPausedUntil: nac.pausedUntil,
    signIn: personal.signIn,
    proof: personal.signIn && personal.keys ? createFormProof(personal.keys, now) : undefined,
    nacHost: settings.nac.addresses.map(({ host }) => host).join(' or '),
    ttlHours: personal.ttlHours,
    areAlertsOn: settings.alertsToken !== undefined,
    publicUrl: settings.publicUrl,
    refusedPosts: health.refusedPosts,
    limits,
    withNumber,
    audit: settings.audit ? createAudit(log) : () => {},
    warn: (name, reason) => log.error({ queue: name, reason }, 'a job was given up'),
  });
}

const VERSION = String(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);

/** Turns of 8 s still become jobs; unfinished jobs stay in the database. */
async function closeInOrder({ database, upstreams, timing }: Parts, server: Server): Promise<void> {
  const { store } = database;
  const turnsEnded = new Promise<void>((resolve) => server.close(() => resolve()));
  const closing = setInterval(() => server.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  await Promise.all([
    endsWithin(turnsEnded, timing.lastTurnsMs),
    endsWithin(store.endJobs(timing.lastJobsMs), timing.lastJobsMs),
  ]);
  clearInterval(closing);
  await store.close(0);
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
}
