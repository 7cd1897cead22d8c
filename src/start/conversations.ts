import type { Logger } from 'pino';
import { createExplain, type Explain } from '../../dialogs/answers/explain.ts';
import { createLookup } from '../../dialogs/commands/lookup.ts';
import { createRecentLookups } from '../../dialogs/commands/recent.ts';
import { createDialogs } from '../../dialogs/commands.ts';
import type { Dialog } from '../../dialogs/dialog.ts';
import type { Message, Place } from '../../dialogs/format/message.ts';
import { type Alert, acceptAlert } from '../../dialogs/jobs/accept-alert.ts';
import { workOnAlert } from '../../dialogs/jobs/alert-job.ts';
import { createDeadJobs } from '../../dialogs/jobs/dead-jobs.ts';
import { type AllKeptJobs, createKeptJobs } from '../../dialogs/jobs/kept-jobs.ts';
import { createKeptLookups, type KeptLookups } from '../../dialogs/jobs/kept-lookups.ts';
import { createReport } from '../../dialogs/jobs/report.ts';
import { createMessageExtension } from '../../dialogs/message-extension.ts';
import type { AppTokens } from '../authentication/app-tokens.ts';
import { createLimits } from '../bot/limits.ts';
import { createPermissions } from '../bot/permissions.ts';
import { createConnector } from '../bot/replies/connector.ts';
import { type Bot, createBot, TURN_MS } from '../bot.ts';
import { createFormProof } from '../credentials/form-proof.ts';
import type { Vault } from '../credentials/vault.ts';
import type { Lookup } from '../nac/lookup.ts';
import type { Audit } from '../ops/audit.ts';
import type { Health } from '../ops/health.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Settings } from '../settings.ts';
import { serverTlsOf } from '../store/server-tls.ts';
import { steadyNow } from '../time/steady.ts';
import { createDelivery, createHandOver, type Deliver, deliverOnce, retryPost } from '../webhook/delivery.ts';
import type { PostToRoom } from '../webhook/sender.ts';
import type { Database, Staff } from './database.ts';
import { backgroundFaults } from './fault.ts';
import type { Nac } from './nac.ts';
import { observeLimits } from './observe.ts';
import { observeReplies } from './observe-replies.ts';
import { tlsModes, type Upstreams } from './upstreams.ts';

/** The parts that conversations need. */
export type Parts = {
  settings: Settings;
  nac: Nac;
  /** The observed lookup. */
  lookUp: Lookup;
  /** The observed post to the room. */
  post: PostToRoom;
  vault: Vault;
  database: Database;
  upstreams: Upstreams;
  /** The bot's own; undefined: authentication is off. */
  tokens: AppTokens | undefined;
  health: Health;
  /** Undefined: nothing is counted. */
  metrics: Metrics | undefined;
  audit: Audit;
  log: Logger;
};

/** The chat side: what a person can type, how it is answered, and the work on jobs that goes on after a turn. */
export function openConversations(parts: Parts): { bot: Bot; staff: Staff } {
  const { lookUp, post, database, audit, log } = parts;
  const { queues } = database;
  const now = Date.now;
  const onError = backgroundFaults(log);

  const deliver = createDelivery({ post, queue: queues.post, now, onError });
  const { history, catalogue } = parts.nac;
  const explain = createExplain({ history, catalogue, now, onError });
  const limits = observeLimits(createLimits(steadyNow), parts.metrics);
  const recent = createRecentLookups();
  const nacLink = parts.settings.nac.link;
  const later = {
    async sayLater(place: Place, message: Message) {
      await bot.replies.sayLater(place, message);
    },
    replaceLater: (place: Place, id: string, message: Message) =>
      bot.replies.replaceLater(place, id, message),
  };
  const telling = { explain, remember: recent.note, audit, ...later, nacLink, now };
  const report = createReport({ ...telling, deliver });
  const deliverForJobs = deliverOnce(deliver, { queue: queues.post, now, onError });
  const reportOfJobs = createReport({ ...telling, deliver: deliverForJobs });
  const kept = createKeptLookups({ lookUp, jobs: queues.lookup, report: reportOfJobs, now, onError });
  const keptJobs = allKeptJobs(queues);
  const dialogs = createDialogs({
    lookup: createLookup({ lookUp, kept, report, limits, turnMs: TURN_MS, now }),
    fields: { lookUp, audit, limits, turnMs: TURN_MS, nacLink, now, onError },
    recent,
    status: { ...statusOptions(parts), kept: keptJobs, onError },
    connect: connectOptions(parts),
    kept: keptJobs,
    alerts: { ...alertsOptions(parts), sayLater: later.sayLater },
    autoreplies: database.autoreplies,
  });
  const extension = createMessageExtension({
    lookUp,
    deliver,
    explain,
    handOver: createHandOver({ queue: queues.post, now, onError }),
    audit,
    limits,
    nacLink,
    now,
    onError,
  });
  const bot: Bot = openBot(parts, { dialogs, extension, limits, supersede: kept.supersede });

  return { bot, staff: createStaff(parts, { bot, kept, explain, deliver: deliverForJobs }) };
}

function createStaff(
  { settings, lookUp, post, database, audit, log }: Parts,
  { bot, kept, explain, deliver }: { bot: Bot; kept: KeptLookups; explain: Explain; deliver: Deliver },
): Staff {
  const now = Date.now;
  const { threads, incidents } = database;
  const nacLink = settings.nac.link;
  const { retry, sayLater, replaceLater } = bot.replies;
  const onDead = createDeadJobs({
    deliver,
    threads,
    sayLater,
    warn: (queue, reason) => log.error({ queue, reason }, 'a job was given up'),
    audit,
    now,
  });
  return {
    lookup: { work: kept.resume, onDead: onDead('lookup') },
    post: { work: (job) => retryPost(job, { post, now }), onDead: onDead('post') },
    reply: { work: retry, onDead: onDead('reply') },
    alert: {
      work: (job, key) =>
        workOnAlert(job, key, {
          lookUp,
          deliver,
          explain,
          threads,
          incidents,
          audit,
          sayLater,
          replaceLater,
          nacLink,
          now,
        }),
      onDead: onDead('alert'),
    },
  };
}

function openBot(
  { settings, database, upstreams, tokens, health, metrics, log }: Parts,
  chat: Pick<Parameters<typeof createBot>[0], 'extension' | 'limits' | 'supersede'> & {
    dialogs: readonly Dialog[];
  },
): Bot {
  const { serviceHosts, allowed } = settings;
  const { queues, autoreplies, welcomes, personalChats } = database;
  const connector = createConnector({ channel: upstreams.channel, serviceHosts, tokens, log });
  return createBot({
    ...chat,
    connector: observeReplies(connector, { health, metrics, log }),
    replyQueue: queues.reply,
    isJob: queues.lookup.has,
    autoreplies,
    welcomes,
    personalChats,
    permissions: createPermissions(allowed, Date.now),
    log,
  });
}

function statusOptions({ settings, nac, vault, health, database }: Parts) {
  return {
    vault,
    tls: tlsModes(settings),
    databaseTls: serverTlsOf(settings.database),
    seen: health.seen,
    database: database.store.state,
    nacRestsUntil: async () => nac.restsUntil(),
    nacPausedUntil: nac.pausedUntil,
    signIn: settings.personal.signIn,
  };
}

function connectOptions({ settings, vault }: Parts) {
  const { signIn, keys, ttlHours } = settings.personal;
  const nacHost = settings.nac.addresses.map(({ host }) => host).join(' or ');
  const proof = signIn && keys ? createFormProof(keys, Date.now) : undefined;
  return { vault, proof, nacHost, ttlHours, now: Date.now };
}

function alertsOptions({ settings, database }: Parts) {
  const { queues, threads } = database;
  const now = Date.now;
  return {
    areAlertsOn: settings.alertsToken !== undefined,
    publicUrl: settings.publicUrl,
    threads,
    acceptAlert: (alert: Alert) => acceptAlert(alert, { queue: queues.alert, threads, now }),
    now,
  };
}

function allKeptJobs({ post, lookup, reply, alert }: Database['queues']): AllKeptJobs {
  const now = Date.now;
  return {
    Posts: createKeptJobs(post, ({ text }) => text, now),
    Lookups: createKeptJobs(lookup, ({ addresses }) => `lookup ${addresses.join(' ')}`, now),
    Answers: createKeptJobs(reply, () => 'an answer', now),
    Alerts: createKeptJobs(alert, ({ addresses }) => `alert ${addresses.join(' ')}`, now),
  };
}
