import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { incidentJobSchema } from '../../dialogs/alerts/incident-jobs.ts';
import type { Bot } from '../../dialogs/commands/command.ts';
import { countJobs } from '../../dialogs/commands/status.ts';
import { COMMANDS } from '../../dialogs/commands.ts';
import { createRecentLookups } from '../../dialogs/lookup/device-lookups.ts';
import { lookupJobSchema } from '../../dialogs/lookup/jobs.ts';
import { type Place, placeSchema } from '../../dialogs/render/message.ts';
import { createFormatters } from '../../dialogs/render/words.ts';
import { countWatches, watchJobSchema } from '../../dialogs/watch/watches.ts';
import { createExchanges } from '../credentials/exchanges.ts';
import { AccountGuard } from '../credentials/lockout.ts';
import { Vault } from '../credentials.ts';
import { isFailing, NO_SESSIONS, type Part } from '../domain/part.ts';
import type { Account } from '../domain/secret.ts';
import { createServiceGate } from '../http.ts';
import { createEndpoints } from '../nac/endpoints.ts';
import { openNac } from '../nac.ts';
import * as ops from '../ops/health.ts';
import { numbers } from '../ops/log.ts';
import { createMetrics, type Metrics } from '../ops/metrics.ts';
import type { Settings } from '../settings.ts';
import { StoreClosedError } from '../store/faults.ts';
import { serverTlsOf } from '../store/postgres.ts';
import { JobQueue, type QueueName } from '../store/queue.ts';
import { Store } from '../store/store.ts';
import { createLock, createRows, createThreads, SharedRests } from '../store/tables.ts';
import { createLimits, createPermissions } from '../teams/admission.ts';
import { createAppTokens } from '../teams/authentication/app-tokens.ts';
import { replyJobSchema, TeamsChat } from '../teams/chat.ts';
import { postJobSchema, Room } from '../webhook/sender.ts';
import { type AppOptions, openUpstreams, tlsModes, VERSION } from './start.ts';

type Core = Awaited<ReturnType<typeof openCore>>;

export type AppParts = Awaited<ReturnType<typeof openParts>>;

/** Makes the parts of the bot in order; each gets the parts that it uses by name. @throws an error with a lasting fault, or of the file system */
export async function openParts(settings: Settings, options: Required<AppOptions>) {
  const core = await openCore(settings, options);
  const messaging = openMessaging(core);
  const bot = openBot(core, messaging);
  addGauges(core.metrics, bot);
  return { core, bot, messaging };
}

const AWAY =
  'start it, or make room on its disk. Until then quick lookups go on, alerts are refused, and nothing is kept for later';

/** Makes the parts that the others stand on: the store with its queues, the rests that processes share, and the ways out. */
async function openCore(settings: Settings, { log, clock, timing }: Required<AppOptions>) {
  // The database's part says once when it goes and once when it is back.
  const onError = (error: unknown) =>
    log[error instanceof StoreClosedError ? 'debug' : 'error']({ err: error }, 'a task failed');
  const health = ops.createHealth(clock.now, log);
  const metrics = createMetrics();
  const { note } = health;
  const store = new Store({
    database: settings.database,
    commits: metrics.commits,
    onError,
    onState: (state, reason) =>
      note('database', state === 'ok' ? undefined : { state, cure: AWAY, detail: { reason } }),
    clock,
  });
  if ('directory' in settings.database) await store.tryToOpen(); // A server is not waited for.
  const queue = <Data extends object | null>(name: QueueName, schema: z.ZodType<Data>) =>
    new JobQueue(store, { name, schema, leaseMs: timing.leaseMs });
  const jobs = {
    lookup: queue('lookup', lookupJobSchema),
    post: queue('post', postJobSchema),
    reply: queue('reply', replyJobSchema),
    alert: queue('alert', incidentJobSchema),
    watch: queue('watch', watchJobSchema),
  };
  const rests = new SharedRests({ query: store.query, now: clock.steady, onError });
  const upstreams = openUpstreams(settings, ops.observeConnections(note, clock.now));
  return { settings, log, clock, timing, onError, health, metrics, store, jobs, rests, upstreams };
}

function openBot(core: Core, { chat, room, isStillAllowed }: ReturnType<typeof openMessaging>): Bot {
  const { settings, log, clock, timing, health, metrics, onError, store, jobs } = core;
  const { vault, nac, findEndpoint } = openNacSide(core);
  const { now, steady } = clock;
  const { shown } = settings;
  // Perhaps another process was refused.
  const isResting = ({ part, cure }: Part) => part === 'nac' && !cure && nac.restsUntil() !== undefined;
  return {
    settings: { ...shown, tls: tlsModes(settings), databaseTls: serverTlsOf(settings.database) },
    clock,
    timing,
    log,
    onError,
    numbers,
    audit: log.child({}, { level: settings.audit ? 'info' : 'silent' }), // At any level of the log.
    health: {
      parts: () => health.parts().map((each) => (isResting(each) ? { part: 'nac', state: 'failing' } : each)),
    },
    formatterFor: createFormatters({ now, steady, nacLink: settings.nac.link, canWatch: shown.canWatch }),
    limits: createLimits(steady, () => metrics.limited.inc()),
    jobs,
    threads: createThreads(store, placeSchema),
    autoreplies: createRows(store, 'autoreply'),
    requests: createRows(store, 'alert request'),
    alertsWithoutAddress: new Map(),
    alertCalls: new LRUCache({ max: 1000, ttl: 120_000 }), // Answers of minutes ago are old.
    lockWatches: createLock(store, 'watches'),
    isStillAllowed,
    vault,
    nac,
    findEndpoint,
    room,
    chat,
    recent: createRecentLookups(steady),
    endedLookups: new LRUCache<string, true>({ max: 1000 }), // More than lookups wait.
    presses: new Map(),
    commands: COMMANDS,
  };
}

/** The credentials, and the NAC and its administration node that are asked with them. */
function openNacSide(core: Core) {
  const { settings, log, clock, health, metrics, upstreams, store, rests, onError } = core;
  const observe = ops.observeNac(health, metrics, log);
  const { now, steady } = clock;
  const { endpoints } = settings;
  const thisProcess = { by: randomUUID(), spreadMs: Math.random() * 5000, now: steady };
  const guardOf = (system: string, account: Account) =>
    new AccountGuard({ ...thisProcess, account, shared: rests.ofAccount(system, account.username) });
  const exchanges = createExchanges(settings, upstreams, now);
  const sealed = createRows(store, 'sealed credential');
  const vault = new Vault({ settings, exchanges, sealed, guardOf, clock, log, onError });
  const lockout = guardOf('NAC', settings.nac);
  const nac = openNac({ settings: settings.nac, upstreams, vault, lockout, steady, observe, log });
  const node = endpoints && { upstream: upstreams.endpoints, url: endpoints.url };
  const guard = endpoints && guardOf('administration node', endpoints);
  const findEndpoint = node && guard && createEndpoints(node, guard, observe.endpoint);
  return { vault, nac, findEndpoint };
}

function openMessaging(core: Core) {
  const { settings, log, clock, timing, health, metrics, upstreams, jobs, rests, onError } = core;
  const { identity, serviceHosts, allowed, webhook } = settings;
  const { steady } = clock;
  const observe = ops.observeChat(health, metrics);
  const tokens = identity && createAppTokens(identity, upstreams.authority, clock.now, observe.token);
  tokens?.get().catch(() => {}); // A wrong secret is logged before the first reply needs a token.
  const serviceGate = createServiceGate(serviceHosts);
  const way = { channel: upstreams.channel, serviceGate, tokens, onOutcome: observe.reply };
  const chat = new TeamsChat({ ...way, queue: jobs.reply, clock, timing, log, onError });
  const permissions = createPermissions(allowed, steady, (place) => chat.senderTenant(place));
  const room = new Room({
    upstream: upstreams.webhook,
    address: webhook.address,
    queue: jobs.post,
    rests,
    steady,
    timing,
    onOutcome: ops.observeRoom(health, metrics, log),
    onError,
  });
  const isStillAllowed = async (place: Place) =>
    serviceGate(place.reference.serviceUrl) !== undefined &&
    (await permissions.refusedBy(place)) === undefined;
  return { chat, room, permissions, serviceGate, isStillAllowed };
}

/** Adds the gauges, which are read from the bot's parts whenever the metrics are. */
function addGauges({ gauge }: Metrics, bot: Bot): void {
  const { nac, health, alertsWithoutAddress } = bot;
  const isIn = (part: string, state: string) =>
    health.parts().some((each) => each.part === part && each.state === state);
  gauge('database_up', '1 while the database answers', () => isIn('database', 'ok'));
  gauge('nac_calls_running', 'Calls to the NAC in flight', () => nac.counts().running);
  gauge('nac_calls_waiting', 'Lookups that wait for a place', () => nac.counts().waiting);
  gauge('nac_paused', '1 while calls to the NAC are paused', () => nac.isPaused());
  gauge('nac_credentials_resting', '1 while the service account rests', () => nac.restsUntil() !== undefined);
  const { state } = NO_SESSIONS;
  gauge('nac_sees_nobody', `1 while the NAC has ${state}`, () => isIn('nac sessions', state));
  const byPart = () => health.parts().map((each) => [isFailing(each), each.part] as const);
  gauge('upstream_failing', '1 while a part of /readyz fails', byPart, 'upstream');
  const byName = () => [...alertsWithoutAddress].map(([name = '', count]) => [count, name] as const);
  gauge('alerts_without_address', 'Alerts without a MAC address since the start', byName, 'alert_name');
  const build = () => [[1, VERSION, process.version] as const];
  gauge('build_info', "The bot's release and Node's", build, 'version', 'node');
  addJobGauges(gauge, bot);
}

function addJobGauges(gauge: Metrics['gauge'], bot: Bot): void {
  const absent = 'absent while the database is away';
  const queues = () => countJobs(bot).catch(() => []);
  const watches = async () => (bot.settings.canWatch ? countWatches(bot).catch(() => undefined) : undefined);
  const overdueWatch = async () => (await watches())?.overdueSeconds;
  const byState = async () =>
    (await queues()).flatMap(({ queue, waiting, dead }) => [
      [waiting, queue, 'waiting'] as const,
      [dead, queue, 'dead'] as const,
    ]);
  const overdue = async () => (await queues()).map(({ queue, overdue }) => [overdue / 1000, queue] as const);
  gauge('jobs', `Jobs in the database by queue and state; ${absent}`, byState, 'queue', 'state');
  gauge('oldest_due_job_seconds', `Age of the oldest job that is due, by queue; ${absent}`, overdue, 'queue');
  gauge('watches', `Watched devices, each in a thread; ${absent}`, async () => (await watches())?.count);
  gauge('oldest_due_watch_seconds', `Age of the oldest watch that is due; ${absent}`, overdueWatch);
}
